import type { RequestStateSpec, RequestStateStatus } from '../../definitions/request-state/schema.ts';

/**
 * Whether a worker may try to take a job: it is new, its claim has lapsed, or it is this worker's own from before a restart.
 *
 * A job that was STARTED without a claim is in the hands of somebody who works without leases, and is left to them.
 */
export function isClaimable(spec: RequestStateSpec, status: RequestStateStatus | undefined, worker: string): boolean {
  if (spec.state === 'REQUESTED') return true;
  if (spec.state !== 'STARTED' || !status?.claim) return false;
  return status.claim.expired || status.claim.worker === worker;
}
