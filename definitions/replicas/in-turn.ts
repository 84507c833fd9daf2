import type { View } from '../core/plan.ts';
import type { Step } from '../core/step.ts';
import { nodeOfKey } from './sync-step.ts';

/**
 * Of the steps of all nodes, those that may take off now.
 *
 * A flight that nobody wants any more still changes its node until it has landed, and nobody knows what it will leave: until
 * then nothing new begins on other nodes, so that the room of a rollout is not spent there a second time. Within a node, a new
 * flight waits for the old one anyway.
 */
export function inTurn({ inAir = [] }: Pick<View, 'inAir'>, steps: readonly Step[]): readonly Step[] {
  const wanted = new Set(steps.map(({ key }) => key));
  const busy = new Set(inAir.filter((key) => !wanted.has(key)).flatMap((key) => nodeOfKey(key) ?? []));
  if (busy.size === 0) return steps;
  return steps.filter(({ key }) => inAir.includes(key) || busy.has(nodeOfKey(key) ?? ''));
}
