import type { Globals } from './context.ts';
import type { Io } from './io.ts';
import { run } from './run.ts';

/** Every command, with a client that is loaded when a command asks for it. */
export const whole = (argv: readonly string[], io: Io): Promise<number> => run(argv, io, connect);

async function connect({ address, temporalNamespace }: Globals) {
  const { connect: open } = await import('../client/connect.ts');
  return open({ ...(address ? { address } : {}), ...(temporalNamespace ? { temporalNamespace } : {}) });
}
