import { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor, WorkflowClient } from '@temporalio/client';
import { UnreachableError } from './errors.ts';
import { asColonyError, isTrouble } from './failures.ts';
import { TASK_QUEUE } from './task-queue.ts';
import { Turns } from './turns.ts';

const CONNECT_MS = 5_000;
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
const RETRY = defaultGrpcRetryOptions({ maxAttempts: 30, factor: 1.4 });

export interface SessionOptions {
  readonly address: string;
  readonly temporalNamespace: string;
  readonly actor: string;
  readonly timeoutMs: number;
}

/** One connection to Temporal, and what every call needs to know. */
export interface Session extends SessionOptions {
  readonly workflows: WorkflowClient;
  /** The raw API: its rows are decoded by ours, because the SDK's decoder costs more than the call. */
  readonly service: Connection['workflowService'];
  readonly turns: Turns;
  /** Runs calls that must end by then (ms since the epoch). */
  within<T>(deadline: number, call: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connects, and says at once when nobody is there: UnreachableError. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { address, temporalNamespace } = options;
  let met = false;
  // A server that was never there is reported at once; one that was is waited for until the call's deadline.
  const patience = makeGrpcRetryInterceptor({
    delayFunction: (attempt, status) =>
      Math.min(1_000, isQueryTooSoon(status.details) ? 20 * 1.5 ** attempt : RETRY.delayFunction(attempt, status)),
    retryableDecider: (attempt, status) => met && RETRY.retryableDecider(attempt, status),
  });
  const connection = Connection.lazy({
    address,
    // The SDK spells this key without its prefix, so that pages above 4 MB would fail.
    channelArgs: {
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    },
    interceptors: [patience],
  });
  const workflows = new WorkflowClient({
    connection,
    namespace: temporalNamespace,
    identity: options.actor,
    queryRejectCondition: 'NOT_OPEN',
  });
  const service = connection.workflowService;
  try {
    await connection.withDeadline(Date.now() + CONNECT_MS, () => service.getSystemInfo({}));
    met = true;
  } catch (error) {
    await connection.close();
    throw isTrouble(error)
      ? new UnreachableError(`Temporal does not answer at ${address}`, undefined, { cause: error })
      : asColonyError(error, `Temporal at ${address}`);
  }
  return {
    ...options,
    workflows,
    service,
    turns: new Turns(),
    within: (deadline, call) => connection.withDeadline(deadline, call),
    close: () => connection.close(),
  };
}

/** A query that comes while a task is under way is refused (docs/decisions/002); the SDK's rule would wait for a second. */
const isQueryTooSoon = (details: string): boolean => details.includes('query buffer is full');

export { TASK_QUEUE };
