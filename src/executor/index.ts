import type { HandlerRequest, HandlerResult } from '../../definitions/handled/contract.ts';

export type { FieldChange } from '../../definitions/core/diff.ts';
export type { HandlerRequest, HandlerResult } from '../../definitions/handled/contract.ts';
export { conflict, forbidden, invalidSpec, notReady } from './failures.ts';
export { type RunningExecutor, type RunOptions, runExecutor } from './run.ts';
export { type ServeOptions, serveExecutor } from './serve.ts';

/** What a handler may use beside its request. */
export interface HandlerContext {
  /** Aborts when the result is no longer wanted: a newer spec has come, or the executor is stopping. */
  readonly signal: AbortSignal;
  /** 1 for the first try at this call. */
  readonly attempt: number;
}

/**
 * Makes a resource so.
 *
 * May be called twice for the same wish (a lost answer, a restart): make effects idempotent, with
 * `request.idempotencyKey` where the other side offers one. `finalize` must tolerate that `reconcile` never ran.
 */
export type Handler = (request: HandlerRequest, context: HandlerContext) => Promise<HandlerResult | undefined>;

/** The handlers that one executor serves; `executorType` is the task queue, the keys are function names. */
export interface Executor {
  readonly executorType: string;
  readonly functions: Readonly<Record<string, Handler>>;
}

/** Types an executor as it is written; `colony executor FILE` runs the file's default export. */
export function defineExecutor(executor: Executor): Executor {
  return executor;
}
