import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../config.ts';
import { locateTemporal } from '../run-file.ts';
import { keepRunning } from './keep-running.ts';
import { createLog, installRuntime } from './log.ts';
import { createColonyWorker, createNodeWorker } from './worker.ts';

const makers = { worker: createColonyWorker, node: createNodeWorker };

/** Entry of `node dist/worker.mjs [--role worker|node]`. Told over IPC (only if `colony up` started it): ready, and that the parent is gone. */
async function main(): Promise<void> {
  const { role } = parseArgs({ options: { role: { type: 'string', default: 'worker' } } }).values;
  if (role !== 'worker' && role !== 'node') throw new ConfigError(`--role is ${JSON.stringify(role)}; it must be worker or node`);
  const config = readConfig();
  const log = createLog(config.logLevel, role);
  installRuntime(log);
  const { address } = locateTemporal(config);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  process.on('disconnect', () => stop.abort());
  await keepRunning({
    address,
    createWorker: (connection) => makers[role](connection, config),
    signal: stop.signal,
    log,
    onReady: () => {
      log.info({ address, temporalNamespace: config.temporalNamespace }, 'ready');
      if (process.connected) process.send?.({ ready: true });
    },
  });
  log.info('stopped');
}

try {
  await main();
  process.exit(0);
} catch (error) {
  console.error(`colony worker: ${(error as Error).message}`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
