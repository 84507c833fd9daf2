import { annotations } from '../core/annotations.ts';
import type { View } from '../core/plan.ts';
import type { ReplicasReport } from './report.ts';

/** How things stand with the replicas, in one word; kinds have their own words for it. */
export type Standing =
  | 'settled'
  /** All have done their work and stay ended. */
  | 'finished'
  /** Nothing has ever run, and nothing is known to be wrong; or only a person can help, with another spec or runtime. */
  | 'waiting'
  | 'moving'
  /** Something is left to do, and nobody does it: the rollout or the whole resource is paused. */
  | 'paused'
  /** Something is wrong, and some work. */
  | 'degraded'
  /** Something is wrong, and none works. */
  | 'failed'
  /** Nobody can see now what there was. */
  | 'unknown';

/** Derived from what the planner says, so that there is no second opinion. */
export function standingOf({ plan, facts }: ReplicasReport, { metadata }: Pick<View, 'metadata'>): Standing {
  const ready = claimOf(plan, 'Ready');
  if (ready?.status === 'True') return ready.reason === 'Completed' ? 'finished' : 'settled';
  const degraded = claimOf(plan, 'Degraded');
  if (degraded?.status === 'True') {
    if (facts.readyReplicas > 0) return 'degraded';
    return degraded.reason === 'RuntimeUnavailable' ? 'waiting' : 'failed';
  }
  if (ready?.status === 'Unknown' && facts.replicas > 0) return 'unknown';
  const isHeld = metadata.annotations[annotations.paused] === 'true' && plan.steps.length > 0;
  if (isHeld || facts.rollout?.state === 'Paused') return 'paused';
  return facts.readyReplicas === 0 && facts.stableGeneration === undefined ? 'waiting' : 'moving';
}

export const claimOf = ({ conditions = [] }: ReplicasReport['plan'], type: string) => conditions.find((claim) => claim.type === type);
