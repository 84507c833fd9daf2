import type { Secrets } from './secrets.ts';

/** What a function may use beside what it is asked. */
export interface CallContext {
  /** Aborts when the result is no longer wanted: a newer spec has come, the run was cancelled, or the executor is stopping. */
  readonly signal: AbortSignal;
  /** 1 for the first try at this call. */
  readonly attempt: number;
  /** Of the resource that the call is about. */
  readonly secrets: Secrets;
}
