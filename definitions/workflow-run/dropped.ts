import type { Circle } from './circle.ts';
import { attemptsOf, timeOf } from './facts.ts';
import { hasEnded, type Node } from './node.ts';

/** What is left of steps that have not ended when nothing more of them will: what had begun was cancelled, the rest is left out. */
export function dropped(circle: Circle, nodes: readonly Node[], why: string): readonly Node[] {
  return nodes.map((node) => {
    const children = node.children && dropped(circle, node.children, why);
    const { turn: _turn, ...rest } = children ? { ...node, children } : node;
    if (hasEnded(node)) return rest;
    const { facts } = circle;
    const entry = facts.entryOf(node.path);
    const attempts = Math.max(node.attempts, entry ? attemptsOf(entry) : 0);
    if (attempts <= facts.baseOf(node.path)) return { ...rest, phase: 'Omitted', reason: 'RunEnded', message: why };
    const startedAt = node.startedAt ?? timeOf(entry?.startedAt);
    const times = { ...(startedAt === undefined ? {} : { startedAt }), finishedAt: timeOf(entry?.finishedAt) ?? facts.now };
    return { ...rest, phase: 'Cancelled', reason: 'RunEnded', message: why, attempts, ...times };
  });
}
