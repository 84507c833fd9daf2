import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { CallContext } from './context.ts';
import type { Executor } from './index.ts';
import { secretsOf } from './secrets.ts';

export interface RunOptions extends WorkerSettings {
  readonly address: string;
}

export interface WorkerSettings {
  readonly temporalNamespace: string;
  /** How many calls may run at once; default 20. */
  readonly concurrency?: number;
}

export interface RunningExecutor {
  /** Ends when the executor was stopped, or fails when it could not go on. */
  readonly done: Promise<void>;
  /** Takes no new work and lets running calls finish. */
  stop(): void;
}

const BEAT_MS = 1_000;

/** Serves an executor's functions until it is stopped. */
export async function runExecutor(executor: Executor, { address, ...settings }: RunOptions): Promise<RunningExecutor> {
  const connection = await NativeConnection.connect({ address });
  const worker = await createExecutorWorker(connection, executor, settings);
  const done = worker.run().finally(() => connection.close());
  return { done, stop: () => worker.shutdown() };
}

/** The Temporal worker behind an executor: one activity for each function, on the queue named like the executor. */
export function createExecutorWorker(
  connection: NativeConnection,
  { executorType, functions = {}, steps = {} }: Executor,
  { temporalNamespace, concurrency = 20 }: WorkerSettings,
): Promise<Worker> {
  return Worker.create({
    connection,
    namespace: temporalNamespace,
    taskQueue: executorType,
    ...identity(),
    activities: { ...activitiesOf(functions, {}), ...activitiesOf(steps, null) },
    maxConcurrentActivityTaskExecutions: concurrency,
    maxHeartbeatThrottleInterval: '300ms',
    shutdownGraceTime: '5s',
  });
}

/** An executor that colony itself runs says which instance it is: so its `taskQueue` probe knows it. */
function identity(): { readonly identity?: string } {
  const { COLONY_INSTANCE: instance } = process.env;
  return instance ? { identity: `${process.pid}@${instance}` } : {};
}

type AnyFunction = (request: never, context: CallContext) => Promise<unknown>;

function activitiesOf(
  functions: Readonly<Record<string, AnyFunction>>,
  nothing: unknown,
): Record<string, (request: never) => Promise<unknown>> {
  return Object.fromEntries(Object.entries(functions).map(([name, each]) => [name, asActivity(each, nothing)]));
}

/** Heartbeats for as long as the function runs: only so does it hear that it is cancelled, and only so is a lost executor noticed. */
function asActivity(work: AnyFunction, nothing: unknown): (request: never) => Promise<unknown> {
  return async (request) => {
    const context = Context.current();
    const { heartbeatTimeoutMs, attempt, workflowExecution } = context.info;
    const beat = setInterval(() => context.heartbeat(), Math.min(BEAT_MS, heartbeatTimeoutMs ? heartbeatTimeoutMs / 3 : BEAT_MS));
    try {
      const secrets = secretsOf(workflowExecution?.workflowId ?? '');
      return (await work(request, { signal: context.cancellationSignal, attempt, secrets })) ?? nothing;
    } finally {
      clearInterval(beat);
    }
  };
}
