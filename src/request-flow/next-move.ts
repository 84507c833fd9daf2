import type { RequestStateName, RequestStateSpec, RequestStateStatus } from '../../definitions/request-state/schema.ts';

/** A request as a director looks at it. */
export interface FlowView {
  readonly spec: RequestStateSpec;
  readonly status: RequestStateStatus | undefined;
  /** The jobs it has to pass through, in order. */
  readonly jobs: readonly string[];
}

export interface Rules {
  readonly now: number;
  /** How long one attempt at a job may take, from REQUESTED on; absent: for ever. */
  readonly timeoutMs?: number | undefined;
  /** How often a job may be tried. */
  readonly attempts: number;
}

export type Outcome = Extract<RequestStateName, 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT'>;

export type NextMove =
  | { readonly type: 'move'; readonly job: string; readonly state: RequestStateName }
  /** Somebody else's turn; at `until` the patience with them ends. */
  | { readonly type: 'wait'; readonly until?: number }
  | { readonly type: 'done'; readonly outcome: Outcome };

/** What a director does about a request now. Pure and level-triggered: it depends on the request alone, not on what happened before. */
export function nextMove({ spec, status, jobs }: FlowView, { now, timeoutMs, attempts }: Rules): NextMove {
  const { job, state } = spec;
  switch (state) {
    case 'REQUESTED':
    case 'STARTED': {
      if (timeoutMs === undefined) return { type: 'wait' };
      const until = requestedAt(status, now) + timeoutMs;
      return until <= now ? { type: 'move', job, state: 'TIMED_OUT' } : { type: 'wait', until };
    }
    case 'COMPLETED': {
      const next = jobs[jobs.indexOf(job) + 1];
      return next === undefined || !jobs.includes(job) ? { type: 'done', outcome: state } : { type: 'move', job: next, state: 'REQUESTED' };
    }
    case 'FAILED':
    case 'TIMED_OUT':
      return (status?.attempt ?? 1) < attempts ? { type: 'move', job, state: 'REQUESTED' } : { type: 'done', outcome: state };
    case 'CANCELLED':
      return { type: 'done', outcome: state };
  }
}

/** When the attempt under way was asked for. */
function requestedAt(status: RequestStateStatus | undefined, now: number): number {
  const asked = status?.history.findLast(({ state }) => state === 'REQUESTED') ?? status?.history[0];
  return asked ? Date.parse(asked.timestamp) : now;
}
