import type { Globals } from './context.ts';
import { processIo } from './io.ts';
import { run } from './run.ts';

/** Every command, with a client that is loaded when a command asks for it. Ends the process. */
export async function main(argv: readonly string[]): Promise<void> {
  const code = await run(argv, processIo(), connect);
  // The connection would keep the process alive; an answer that has been printed has nothing more to wait for.
  process.stdout.write('', () => process.exit(code));
}

async function connect({ address, temporalNamespace }: Globals) {
  const { connect: open } = await import('../client/connect.ts');
  return open({ ...(address ? { address } : {}), ...(temporalNamespace ? { temporalNamespace } : {}) });
}
