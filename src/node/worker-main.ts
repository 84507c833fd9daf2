import { parseArgs } from 'node:util';
import { Client } from '@temporalio/client';
import { type Config, ConfigError, readConfig } from '../config.ts';
import type { WorkerWord } from '../embedded/installation.ts';
import { locateTemporal } from '../run-file.ts';
import { Agent } from './agent.ts';
import { Collector } from './collector/collector.ts';
import { serveHealth } from './health.ts';
import { type KeepRunning, keepRunning } from './keep-running.ts';
import { createLog, installRuntime, type Logger } from './log.ts';
import { Rescue } from './rescue/rescue.ts';
import { troubleOf } from './trouble.ts';
import { createColonyWorker, createNodeWorker } from './worker.ts';
import { workflowCode } from './workflow-code.ts';

const roles = ['worker', 'node'] as const;

/** Entry of `node dist/worker.mjs [--role worker|node]`. */
async function main(): Promise<void> {
  const { role } = parseArgs({ options: { role: { type: 'string', default: 'worker' } } }).values;
  if (!isRole(role)) throw new ConfigError(`--role is ${JSON.stringify(role)}; it must be worker or node`);
  await serve(role, readConfig());
}

/** Comes back after a signal to end, or when `colony up` that started us is gone (its channel tells). */
async function serve(role: (typeof roles)[number], config: Config): Promise<void> {
  const log = createLog(config.logLevel, role);
  installRuntime(log);
  const { address } = locateTemporal(config);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  process.on('disconnect', () => stop.abort());
  let isReady = false;
  if (config.healthPort) {
    serveHealth(config.healthPort, () => isReady).on('error', ({ message }) =>
      log.error({ reason: message }, 'nobody can ask for the health'),
    );
  }
  const onChange = (ready: boolean, reason = ''): void => {
    if (ready) log.info({ address, temporalNamespace: config.temporalNamespace }, 'ready');
    const word: WorkerWord = ready ? { ready } : { ready, trouble: troubleOf(reason, address) };
    if (process.connected) process.send?.(word);
    isReady = ready;
  };
  const running = { address, signal: stop.signal, log, onChange };
  if (role === 'worker') await serveResources(config, log, running);
  else await serveNode(config, log, running);
  log.info('stopped');
}

async function serveResources(config: Config, log: Logger, running: Omit<KeepRunning, 'createWorker'>): Promise<void> {
  const rescue = new Rescue({ log });
  const code = workflowCode((run) => rescue.noteBuilt(run));
  await keepRunning({
    ...running,
    createWorker: (connection) => createColonyWorker(connection, config, code),
    accompany: async (connection, signal) => {
      const client = new Client({ connection, namespace: config.temporalNamespace });
      await Promise.all([new Collector({ client, log }).run(signal), rescue.run(client, signal)]);
    },
  });
}

async function serveNode(config: Config, log: Logger, running: Omit<KeepRunning, 'createWorker'>): Promise<void> {
  const agent = new Agent(config, log);
  await keepRunning({
    ...running,
    createWorker: async (connection) => createNodeWorker(connection, config, await agent.activities(connection)),
    accompany: (connection, signal) => agent.observe(connection, signal),
  });
  await agent.end();
}

const isRole = (text: string): text is (typeof roles)[number] => roles.some((role) => role === text);

try {
  await main();
  process.exit(0);
} catch (error) {
  console.error(`colony worker: ${(error as Error).message}`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
