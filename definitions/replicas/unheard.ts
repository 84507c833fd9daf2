import type { View } from '../core/plan.ts';
import type { Step } from '../core/step.ts';
import { laneOf, nodeOfLane } from './lanes.ts';
import type { ReplicasFacts } from './report.ts';

/** Nodes that were asked to start something and have never answered: they may have it. */
export function unheardOf({ observed }: Pick<View, 'observed'>, { unheard = [] }: Partial<ReplicasFacts>): readonly string[] {
  return unheard.filter((node) => observed[laneOf(node)] === undefined);
}

/** The same after these steps have taken off, for the status to remember. */
export function unheardAfter(
  view: Pick<View, 'observed'>,
  facts: Partial<ReplicasFacts>,
  steps: readonly Step[],
): Pick<ReplicasFacts, 'unheard'> {
  const asked = steps.flatMap(({ about }) => nodeOfLane(about) ?? []).filter((node) => view.observed[laneOf(node)] === undefined);
  const unheard = [...new Set([...unheardOf(view, facts), ...asked])].sort();
  return unheard.length > 0 ? { unheard } : {};
}
