import type { Globals } from './context.ts';
import { processIo } from './io.ts';
import { run } from './run.ts';

const connect = async ({ address, temporalNamespace }: Globals) => {
  const { connect: open } = await import('../client/connect.ts');
  return open({ ...(address ? { address } : {}), ...(temporalNamespace ? { temporalNamespace } : {}) });
};

const code = await run(process.argv.slice(2), processIo(), connect);
// The connection would keep the process alive; an answer that has been printed has nothing more to wait for.
process.stdout.write('', () => process.exit(code));
