import type { JsonObject } from '../core/resource.ts';
import { levelOf } from '../flows/level.ts';
import { exitSteps, type StepSpec } from '../flows/schema.ts';
import { assess, isHandled, skippedByHand } from './assess.ts';
import type { Circle } from './circle.ts';
import { dropped } from './dropped.ts';
import { Facts } from './facts.ts';
import { standingOf } from './leaf.ts';
import { type Around, hasEnded, isFailing, type Node } from './node.ts';
import type { Run } from './run.ts';
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

/** How the steps came out, if that was said already. */
export function saidEnding({ view, retries }: Run): Ending | undefined {
  const said = view.status?.ending as Ending | undefined;
  return said?.retries === retries ? said : undefined;
}

/** The steps as they came out. */
export const cameOut = ({ circle, nodes }: Run, { reason }: Ending): readonly Node[] =>
  dropped(circle, nodes, WHY[reason] ?? 'A step has failed.');

const WHY: Readonly<Record<string, string>> = { Cancelled: 'The run was cancelled.', TimedOut: 'The run took too long.' };

/** What undoes steps, one after the other, and what is done after that. */
export function atEnd({ view, circle, around }: Run, ending: Ending, main: readonly Node[]) {
  const last: Circle = { ...circle, facts: new Facts(view), failFast: false, abortRunning: false, isEnding: false, expanded: { count: 0 } };
  const undo = ending.status === 'Succeeded' ? [] : undoNodes(last, main, view.spec.steps);
  const next = undo.find((node) => !hasEnded(node));
  return { last, undo, next, exit: next ? [] : exitNodes(last, view.spec, around, main, ending) };
}
