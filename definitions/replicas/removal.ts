import type { Plan, View } from '../core/plan.ts';
import { laneOf, nodeOfLane } from './lanes.ts';
import { sightings } from './members.ts';
import type { Replicated } from './replicated.ts';
import type { ReplicasFacts } from './report.ts';
import { removalStep, wasRemoved } from './sync-step.ts';
import { unheardOf } from './unheard.ts';

/**
 * Everything on every node that may have something goes, the same way as everything else.
 *
 * Guarantees: a node that has answered, or was ever asked to start something, is waited for; a node that was only named is not.
 */
export function removal(view: View<unknown>, { template }: Replicated, facts: Partial<ReplicasFacts>): Omit<Plan, 'status'> {
  const seen = sightings(view);
  const lanes = Object.keys(view.observed).flatMap((lane) => nodeOfLane(lane) ?? []);
  const unheard = unheardOf(view, facts);
  const isOver = (node: string): boolean =>
    wasRemoved(view.observed[laneOf(node)]) && !seen.some((sighting) => sighting.node === node && sighting.instances.length > 0);
  const nodes = [...new Set([...lanes, ...unheard])].sort();
  return {
    steps: nodes.filter((node) => !isOver(node)).map((node) => removalStep(view, template, node)),
    leftBehind: [
      ...seen.flatMap(({ node, instances }) => instances.map(({ name }) => `Instance ${name} on node ${node}.`)),
      ...unheard.map((node) => `Whatever was started on node ${node}: it has never answered.`),
    ],
  };
}
