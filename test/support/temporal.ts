import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import type { Worker, WorkerOptions } from '@temporalio/worker';
import { inject } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';

/** Where the shared server listens. */
export const temporalAddress = (): string => inject('temporal').address;

/** The `temporal` binary. */
export const temporalBinary = (): string => inject('temporal').binary;

/** A Temporal namespace that no other test file has, in this or another vitest worker; call it once per file. */
export function leaseNamespace(): string {
  const { namespaces, leases } = inject('temporal');
  const free = namespaces.find((name) => claim(join(leases, name)));
  if (!free) throw new Error('all test namespaces are in use; raise SPARE in test/support/global-setup.ts');
  return free;
}

function claim(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** A plain Temporal client of one namespace; close it with `client.connection.close()`. */
export async function connectClient(namespace: string): Promise<Client> {
  // Room for histories with many large specs, which the server sends in one piece.
  const channelArgs = { 'grpc.max_receive_message_length': 64 * 1024 * 1024 };
  // A query that comes while a task is under way is refused; the SDK would ask again after more than a second.
  const { retryableDecider, delayFunction } = defaultGrpcRetryOptions({ maxAttempts: 60 });
  const soon: typeof delayFunction = (attempt, status) =>
    status.details.includes('query buffer is full') ? Math.min(1_000, 20 * 1.5 ** attempt) : delayFunction(attempt, status);
  const interceptors = [makeGrpcRetryInterceptor({ retryableDecider, delayFunction: soon })];
  const connection = await Connection.connect({ address: temporalAddress(), channelArgs, interceptors });
  return new Client({ connection, namespace });
}

/** For a worker that nobody kills: on a busy machine a task may lie there for seconds, and is not handed out a second time for that. */
export const unhurried: Partial<WorkerOptions> = { stickyQueueScheduleToStartTimeout: '60s' };

export interface TestWorker {
  readonly worker: Worker;
  /** Comes back when the worker has stopped; fails if it had failed before. */
  stop(): Promise<void>;
}

export interface TestWorkerOptions {
  /** On top of what the environment says. */
  readonly config?: Partial<Config>;
  /** On top of colony's own settings. */
  readonly worker?: Partial<WorkerOptions>;
}

/** Runs colony's worker (prebuilt workflow bundle, real activities) inside the test's process. */
export async function startWorker(namespace: string, options: TestWorkerOptions = {}): Promise<TestWorker> {
  await prepare();
  // Loaded late: tests without a worker of their own are quicker without the SDK's native half.
  const { NativeConnection } = await import('@temporalio/worker');
  const { createColonyWorker } = await import('../../src/node/worker.ts');
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  const config = { ...readConfig(), temporalNamespace: namespace, ...options.config };
  const worker = await createColonyWorker(connection, config, { shutdownGraceTime: 0, ...options.worker });
  const ended = worker.run();
  ended.catch(() => {}); // told by stop()
  const stop = async (): Promise<void> => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await ended.finally(() => connection.close());
  };
  return { worker, stop };
}

let isPrepared = false;

/** The SDK's runtime exists once per process. */
async function prepare(): Promise<void> {
  if (isPrepared) return;
  isPrepared = true;
  const { createLog, installRuntime } = await import('../../src/node/log.ts');
  installRuntime(createLog(process.env.COLONY_LOG_LEVEL ? readConfig().logLevel : 'error', 'test'));
}
