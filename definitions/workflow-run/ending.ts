import type { JsonObject } from '../core/resource.ts';
import { levelOf } from '../flows/level.ts';
import { exitSteps, type StepSpec } from '../flows/schema.ts';
import { assess, isHandled, skippedByHand } from './assess.ts';
import type { Circle } from './circle.ts';
import { standingOf } from './leaf.ts';
import { type Around, isFailing, type Node } from './node.ts';
import type { Ending, WorkflowRunSpec } from './schema.ts';

/** The failures of a level that nobody takes care of. */
export const failuresOf = (nodes: readonly Node[]): readonly Node[] => nodes.filter((node) => isFailing(node) && !isHandled(node, nodes));

/** What undoes the steps that have succeeded, the last one first. */
export function undoNodes(circle: Circle, nodes: readonly Node[], steps: readonly StepSpec[]): readonly Node[] {
  const done = inOrder(nodes, steps)
    .map((node, place) => ({ node, place }))
    .filter(({ node }) => node.spec.compensate && node.type !== 'loop' && node.phase === 'Succeeded' && !node.isCached)
    .sort((a, b) => (b.node.finishedAt ?? 0) - (a.node.finishedAt ?? 0) || b.place - a.place);
  return done.map(({ node }) => undoNode(circle, node));
}

/** Each after those it needs, so that of two that ended in the same millisecond the later one is known. */
function inOrder(nodes: readonly Node[], steps: readonly StepSpec[] | undefined): Node[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const sorted = steps ? levelOf(steps).order.flatMap((place) => byName.get(steps[place]?.name ?? '') ?? []) : nodes;
  return sorted.flatMap((node) => [node, ...inOrder(node.children ?? [], node.type === 'steps' ? node.spec.steps : undefined)]);
}

function undoNode(circle: Circle, { path, name, spec, around, outputs = {} }: Node): Node {
  const undo = `undo.${path}`;
  const own: StepSpec = { ...spec.compensate, name };
  const inside: Around = { ...around, more: { outputs, result: outputs } };
  return {
    path: undo,
    name,
    spec: own,
    type: 'function',
    around: inside,
    ...(skippedByHand(circle, undo) ?? standingOf(circle, undo, own, inside)),
  };
}

/** The steps that are done whatever happened. They see how the run came out. */
export function exitNodes(circle: Circle, spec: WorkflowRunSpec, around: Around, nodes: readonly Node[], ending: Ending): readonly Node[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const run: JsonObject = { ...around.run, status: ending.status, message: ending.message };
  return assess(circle, exitSteps(spec), 'exit.', { ...around, run, find: (name) => byName.get(name) });
}
