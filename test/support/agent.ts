import type { Config } from '../../src/config.ts';

/** Runs a node's agent in this process, as src/node/worker-main.ts does; comes back when it polls. */
export async function runAgent(config: Config, address: string, rhythm?: { readonly sweepMs: number }): Promise<() => Promise<void>> {
  const { Agent } = await import('../../src/node/agent.ts');
  const { keepRunning } = await import('../../src/node/keep-running.ts');
  const { createNodeWorker } = await import('../../src/node/worker.ts');
  const { createLog } = await import('../../src/node/log.ts');
  const log = createLog(process.env.COLONY_LOG_LEVEL ? config.logLevel : 'silent', 'node');
  const agent = new Agent(config, log);
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((ready) => {
    running = keepRunning({
      address,
      signal: stop.signal,
      log,
      onChange: (isReady) => isReady && ready(),
      createWorker: async (connection) => createNodeWorker(connection, config, await agent.activities(connection)),
      accompany: (connection, signal) => agent.observe(connection, signal, rhythm),
    });
  });
  return async () => {
    stop.abort();
    await running;
    await agent.end();
  };
}
