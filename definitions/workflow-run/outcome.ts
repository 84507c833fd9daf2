import type { StepOutcome } from '../core/expressions/index.ts';
import { hasEnded, type Node } from './node.ts';

/** What a dependency asks of a step; undefined until it has ended. */
export function outcomeOf(node: Node | undefined, outcome: StepOutcome): boolean | undefined {
  if (!node || !hasEnded(node)) return undefined;
  const isDone = node.phase === 'Succeeded' || node.phase === 'Failed';
  const parts = node.type === 'loop' && isDone && node.children ? node.children : [node];
  switch (outcome) {
    case 'Finished':
      return true;
    case 'AnySucceeded':
      return parts.some(({ phase }) => phase === 'Succeeded');
    case 'AllFailed':
      return parts.every(({ phase }) => phase === 'Failed');
    default:
      return node.phase === outcome;
  }
}

/** Why one that rests on it does not begin. */
export function unmet({ name, phase }: Node): string {
  switch (phase) {
    case 'Failed':
      return `${name} has failed.`;
    case 'Cancelled':
      return `${name} was cancelled.`;
    default:
      return `${name} was not done.`;
  }
}
