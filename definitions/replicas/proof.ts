import type { InstanceRevision } from '../core/instance.ts';
import type { View } from '../core/plan.ts';
import { isGood, isLooping, type Member } from './members.ts';
import type { ReplicasFacts, RevisionReport } from './report.ts';

/** For so long after its takeover a revision may still turn out not to work. */
const PROOF_MS = 60_000;

/**
 * What worked before a revision that has just taken over and of which none works now, because they end again and again: a
 * program without a probe counts as ready until it ends. Undefined: it has proved itself, or took over from nobody.
 */
export function disproved(
  view: View<unknown>,
  { rollout }: Partial<ReplicasFacts>,
  members: readonly Member[],
  target: InstanceRevision | undefined,
): RevisionReport | undefined {
  if (rollout?.state !== 'Complete' || rollout.digest !== target?.digest) return undefined;
  if (view.now - Date.parse(rollout.progressedAt) > PROOF_MS) return undefined;
  const own = members.filter(({ digest }) => digest === rollout.digest);
  return own.some(isLooping) && !own.some(isGood) ? rollout.from : undefined;
}
