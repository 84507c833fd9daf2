import type { Plan, View } from '../core/plan.ts';
import type { ConditionClaim, JsonObject } from '../core/resource.ts';
import { flowOf, isLive } from './flow.ts';
import type { RequestStateSpec, RequestStateStatus } from './schema.ts';

/** A request does nothing in the world; it says how far it is and notices when a claim lapses. */
export function plan(view: View<RequestStateSpec>): Plan {
  const { job, state } = view.spec;
  const { attempt, history, historyCut, claim } = flowOf(view);
  const isHeld = state === 'STARTED' && isLive(claim, view.now);
  const held =
    state === 'STARTED' && claim ? { worker: claim.worker, expiresAt: new Date(claim.until).toISOString(), expired: !isHeld } : undefined;
  const status: RequestStateStatus = { state, job, attempt, history, historyCut, ...(held ? { claim: held } : {}) };
  return {
    steps: [],
    status: status as unknown as JsonObject,
    phase: state,
    conditions: conditions(view.spec, held),
    ...(isHeld && claim ? { wakeAt: claim.until } : {}),
  };
}

function conditions({ job, state }: RequestStateSpec, held: RequestStateStatus['claim']): ConditionClaim[] {
  const isLost = state === 'FAILED' || state === 'CANCELLED' || state === 'TIMED_OUT';
  const claims: ConditionClaim[] = [
    { type: 'Ready', status: 'True', reason: 'Recorded', message: 'The state is on the record.' },
    { type: 'Completed', status: state === 'COMPLETED' ? 'True' : 'False', reason: 'StateChanged', message: `${job} is ${state}.` },
  ];
  if (isLost) claims.push({ type: 'Failed', status: 'True', reason: 'StateChanged', message: `${job} is ${state}.` });
  if (held?.expired) {
    claims.push({
      type: 'ClaimExpired',
      status: 'True',
      reason: 'LeaseLapsed',
      message: `${held.worker} was not heard of in time; any worker may claim ${job}.`,
    });
  }
  return claims;
}
