import type { Issue } from '../core/kind.ts';
import type { View } from '../core/plan.ts';
import type { Claim, HistoryEntry, RequestStateName, RequestStateSpec } from './schema.ts';

/** What a request remembers beside its spec; lives in lane `flow`. */
export interface Flow {
  readonly attempt: number;
  readonly history: readonly HistoryEntry[];
  readonly historyCut: number;
  readonly claim?: Claim;
}

export const FLOW = 'flow';
const MAX_HISTORY = 100;
const NEW: Flow = { attempt: 1, history: [], historyCut: 0 };

const next: Readonly<Record<RequestStateName, readonly RequestStateName[]>> = {
  REQUESTED: ['STARTED', 'FAILED', 'CANCELLED', 'TIMED_OUT'],
  STARTED: ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'],
  COMPLETED: [],
  FAILED: ['REQUESTED'],
  CANCELLED: [],
  TIMED_OUT: ['REQUESTED'],
};

export function flowOf(view: View<RequestStateSpec> | undefined): Flow {
  return (view?.observed[FLOW]?.value as Flow | undefined) ?? NEW;
}

/** What is wrong with going from one state to another; the legal ways are named. */
export function transitionIssues(from: RequestStateSpec, to: RequestStateSpec): Issue[] {
  if (from['request-uid'] !== to['request-uid']) {
    return [{ path: 'spec.request-uid', message: `cannot change (it is ${JSON.stringify(from['request-uid'])})` }];
  }
  if (from.job === to.job && from.state === to.state) return [];
  if (from.job !== to.job) {
    if (from.state === 'COMPLETED' && to.state === 'REQUESTED') return [];
    const rule = `a new job starts only from COMPLETED and as REQUESTED (now ${from.job} is ${from.state})`;
    return [{ path: to.state === 'REQUESTED' ? 'spec.job' : 'spec.state', message: rule }];
  }
  const legal = next[from.state];
  if (legal.includes(to.state)) return [];
  const ways = legal.length > 0 ? `from ${from.state} only ${legal.join(', ')}` : `nothing: ${from.state} is final for ${from.job}`;
  return [{ path: 'spec.state', message: `cannot go from ${from.state} to ${to.state}; allowed: ${ways}` }];
}

/** The flow with one more entry; the oldest are cut and counted once there are too many. */
export function recorded(flow: Flow, spec: RequestStateSpec, actor: string, now: number): Flow {
  const entry: HistoryEntry = { job: spec.job, state: spec.state, timestamp: new Date(now).toISOString(), actor, attempt: flow.attempt };
  const history = [...flow.history, entry];
  const excess = Math.max(0, history.length - MAX_HISTORY);
  return { ...flow, history: history.slice(excess), historyCut: flow.historyCut + excess };
}

/** The flow after a change of state by whatever way: a new job starts at attempt 1, a retry counts on, a claim ends with STARTED. */
export function moved(flow: Flow, from: RequestStateSpec | undefined, to: RequestStateSpec, actor: string, now: number): Flow {
  const isRetry = from?.job === to.job && from.state !== 'REQUESTED' && to.state === 'REQUESTED';
  const attempt = from && from.job !== to.job ? 1 : flow.attempt + (isRetry ? 1 : 0);
  const { claim, ...rest } = flow;
  return recorded({ ...rest, attempt, ...(claim && to.state === 'STARTED' ? { claim } : {}) }, to, actor, now);
}

export const isLive = (claim: Claim | undefined, now: number): claim is Claim => claim !== undefined && now < claim.until;
