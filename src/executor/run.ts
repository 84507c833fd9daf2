import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { HandlerRequest, HandlerResult } from '../../definitions/handled/contract.ts';
import type { Executor, Handler } from './index.ts';

export interface RunOptions {
  readonly address: string;
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

/** Serves an executor's functions until it is stopped. */
export async function runExecutor(executor: Executor, { address, temporalNamespace, concurrency = 20 }: RunOptions): Promise<RunningExecutor> {
  const connection = await NativeConnection.connect({ address });
  const activities = Object.fromEntries(Object.entries(executor.functions).map(([name, handler]) => [name, asActivity(handler)]));
  const worker = await Worker.create({
    connection,
    namespace: temporalNamespace,
    taskQueue: executor.executorType,
    activities,
    maxConcurrentActivityTaskExecutions: concurrency,
    maxHeartbeatThrottleInterval: '300ms',
    shutdownGraceTime: '5s',
  });
  const done = worker.run().finally(() => connection.close());
  return { done, stop: () => worker.shutdown() };
}

/** Heartbeats for as long as the handler runs, so that it can be cancelled and a lost executor is noticed. */
function asActivity(handler: Handler): (request: HandlerRequest) => Promise<HandlerResult> {
  return async (request) => {
    const context = Context.current();
    const { heartbeatTimeoutMs, attempt } = context.info;
    const beat = heartbeatTimeoutMs ? setInterval(() => context.heartbeat(), Math.min(1_000, heartbeatTimeoutMs / 3)) : undefined;
    try {
      return (await handler(request, { signal: context.cancellationSignal, attempt })) ?? {};
    } finally {
      clearInterval(beat);
    }
  };
}
