import { readConfig } from '../../src/config.ts';
import { Agent } from '../../src/node/agent.ts';
import { keepRunning } from '../../src/node/keep-running.ts';
import { createLog, installRuntime } from '../../src/node/log.ts';
import { createNodeWorker } from '../../src/node/worker.ts';
import { serve } from '../inside/serve.ts';

/** The node's agent as `colony up` runs it; ready when it polls. */
const config = readConfig();
const log = createLog(config.logLevel, 'node');
installRuntime(log);
const agent = new Agent(config, log);
const over = new AbortController();
let ended: Promise<void> = Promise.resolve();
await new Promise<void>((ready) => {
  ended = keepRunning({
    address: config.address ?? '',
    signal: over.signal,
    log,
    onChange: (isReady) => isReady && ready(),
    createWorker: async (connection) => createNodeWorker(connection, config, await agent.activities(connection)),
    accompany: (connection, signal) => agent.observe(connection, signal),
  });
});
serve({}, async () => {
  over.abort();
  await ended;
  await agent.end();
});
