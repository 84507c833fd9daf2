import { needsOf } from '../flows/needs.ts';
import { laneOf } from './facts.ts';
import { hasEnded, type Node } from './node.ts';

/**
 * How many flights must land well before anything new can begin: until then nobody has to think.
 *
 * Guarantees: never too many. 1 wherever it is not plain to see: loops, steps of steps, expressions, what waits for a time or a word.
 *
 * @param flying the lanes of all flights of this plan.
 */
export function landingsNeeded(nodes: readonly Node[], flying: ReadonlySet<string>): number {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const isFlying = ({ path }: Node): boolean => flying.has(laneOf(path));
  const open = nodes.filter((node) => !hasEnded(node));
  const waiting = open.filter((node) => !isFlying(node));
  if (open.length - waiting.length !== flying.size || !open.every(isPlain)) return 1;
  const counts = waiting.map((node) => {
    const { stated, implied } = needsOf(node.spec, (name) => byName.has(name));
    const needed = [...new Set([...stated, ...implied])].map((name) => byName.get(name)).filter((need) => need && !hasEnded(need));
    // Who waits for somebody who waits himself is not the next.
    return needed.every((need) => need && isFlying(need)) ? needed.length : Number.POSITIVE_INFINITY;
  });
  const fewest = Math.min(flying.size, ...counts);
  return Math.max(1, fewest);
}

/** A function, a request or a container that waits for all it names, and for nothing else. */
const isPlain = ({ type, spec, children, turn }: Node): boolean =>
  (type === 'function' || type === 'http' || type === 'run') &&
  !children &&
  spec.depends === undefined &&
  spec.cache === undefined &&
  (turn === undefined || turn.type === 'first' || (turn.type === 'fly' && !turn.isStuck));
