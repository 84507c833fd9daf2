import { type Config, readConfig } from '../../config.ts';
import { ExecutorFileError, loadExecutor } from '../../executor/load.ts';
import { locateTemporal } from '../../run-file.ts';
import type { Context } from '../context.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { UsageError } from '../usage-error.ts';

interface ExecutorOptions {
  readonly concurrency?: string;
}

/** Serves the handlers that a file exports, until Ctrl-C. */
export async function run(context: Context, [file]: readonly string[], options: ExecutorOptions): Promise<number> {
  if (file === undefined) throw new UsageError('which file? Say the one whose default export is an executor');
  const { io, globals } = context;
  const config = readConfig();
  const concurrency = options.concurrency === undefined ? undefined : wholeNumber(options.concurrency, '--concurrency');
  process.setSourceMapsEnabled(true);
  const executor = await loadExecutor(file).catch((error: unknown) => {
    throw error instanceof ExecutorFileError ? new UsageError(error.message) : error;
  });
  const { serveExecutor } = await import('colony/executor'); // not bundled into the CLI: the SDK must be there once
  await serveExecutor(executor, {
    address: globals.address ?? follower(config),
    temporalNamespace: globals.temporalNamespace ?? config.temporalNamespace,
    signal: io.interrupted(),
    say: (line) => io.out(`${new Date(io.now()).toISOString().slice(11, 23)} ${line}\n`),
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  io.out('stopped\n');
  return 0;
}

/** Where Temporal is by now. A home that is gone, or a `colony up` that has not got that far, says nothing new. */
function follower(config: Config): () => string {
  let known = locateTemporal(config).address;
  return () => {
    const { address, from } = locateTemporal(config);
    if (from !== 'default' && address !== '') known = address;
    return known;
  };
}
