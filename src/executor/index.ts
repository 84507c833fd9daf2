import type { HandlerRequest, HandlerResult } from '../../definitions/handled/contract.ts';
import type { CallContext } from './context.ts';
import type { StepFunction } from './step.ts';

export type { FieldChange } from '../../definitions/core/diff.ts';
export type { HandlerRequest, HandlerResult } from '../../definitions/handled/contract.ts';
export type { CallContext, CallContext as HandlerContext } from './context.ts';
export { conflict, forbidden, invalidSpec, notReady } from './failures.ts';
export { type RunningExecutor, type RunOptions, runExecutor } from './run.ts';
export type { Secrets } from './secrets.ts';
export { type ServeOptions, serveExecutor } from './serve.ts';
export type { StepCall, StepFunction } from './step.ts';

/**
 * Makes a resource so.
 *
 * May be called twice for the same wish (a lost answer, a restart): make effects idempotent, with
 * `request.idempotencyKey` where the other side offers one. `finalize` must tolerate that `reconcile` never ran.
 */
export type Handler = (request: HandlerRequest, context: CallContext) => Promise<HandlerResult | undefined>;

/** What one executor serves; `executorType` is the task queue, the keys are function names. */
export interface Executor {
  readonly executorType: string;
  /** Handlers of kinds. */
  readonly functions?: Readonly<Record<string, Handler>>;
  /** Functions that steps of runs call. */
  readonly steps?: Readonly<Record<string, StepFunction>>;
}

/** Types an executor as it is written; `colony executor FILE` runs the file's default export. */
export function defineExecutor(executor: Executor): Executor {
  return executor;
}
