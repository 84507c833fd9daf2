import type { View } from '../core/plan.ts';
import { isHandled } from './assess.ts';
import type { Restarts } from './control.ts';
import { restartsOf } from './control.ts';
import { attemptsOf } from './facts.ts';
import { isFinished } from './finished.ts';
import { hasEnded, type Node } from './node.ts';
import { isBroken } from './resource.ts';
import { assessRun } from './run.ts';
import type { StepStatus, WorkflowRunSpec } from './schema.ts';

/**
 * What begins again when somebody asks for a retry: what failed and nobody took care of, what was cancelled, what was undone,
 * and what is done at the end. A resource that has failed is made anew; else what is there is looked at again. Steps that were only left out need nothing: they begin when their needs come true.
 */
export function restartsAfter(
  view: View<WorkflowRunSpec>,
  now: number,
): { readonly restarts: Restarts; readonly paths: readonly string[] } {
  const { nodes, circle } = assessRun(view);
  const entries = (view.status?.steps ?? {}) as Readonly<Record<string, StepStatus>>;
  const isOver = isFinished(view);
  const wasCut = (node: Node) =>
    node.phase === 'Cancelled' || (isOver && (!hasEnded(node) || (node.phase === 'Failed' && entries[node.path]?.phase === 'Cancelled')));
  const undone = new Set(
    Object.entries(entries).flatMap(([path, { phase }]) =>
      path.startsWith('undo.') && phase !== 'Skipped' ? [path.slice('undo.'.length)] : [],
    ),
  );
  const before = restartsOf(view);
  const hasBegun = ({ path, attempts }: Node) => attempts > (before.attempts[path] ?? 0);
  const isClosed = ({ type, spec }: Node) => circle.failFast && !(type === 'loop' && spec.continueOnFailure);
  const brokenIn = (node: Node) => (isClosed(node) && hasBegun(node) ? broken(node.children ?? [], wasCut, hasBegun) : []);
  const again = [...broken(nodes, wasCut, hasBegun), ...touching(nodes, undone, brokenIn)];
  const { facts } = circle;
  const shownOf = (path: string) => (entries[path] ? attemptsOf(entries[path]) : 0);
  const atEnd = [...new Set([...Object.keys(entries), ...facts.paths])].filter((path) => /^(exit|undo)\./.test(path));
  const attempts = Object.fromEntries([
    ...again.map(({ path, attempts: number }) => [path, Math.max(number, shownOf(path))] as const),
    ...atEnd.map((path) => [path, Math.max(facts.baseOf(path), facts.lastOf(path), shownOf(path))] as const),
  ]);
  const makers = Object.fromEntries(
    again
      .filter(({ spec, type }) => spec.resource && type !== 'loop')
      .map(({ path, spec }) => {
        const last = attempts[path] ?? 0;
        const isAnew = !spec.resource?.keep && isBroken(view, path, spec);
        return [path, isAnew ? last + 1 : circle.facts.makerOf(path, last)] as const;
      }),
  );
  const anew = [...undone, ...atEnd.filter((path) => path.startsWith('exit.'))];
  const unheard = again.filter(({ path, spec }) => spec.run && !undone.has(path) && !facts.landed(path));
  return {
    restarts: {
      retries: before.retries + 1,
      at: now,
      attempts: { ...before.attempts, ...attempts },
      ...(before.makers || Object.keys(makers).length > 0 ? { makers: { ...before.makers, ...makers } } : {}),
      rounds: { ...before.rounds, ...Object.fromEntries(anew.map((path) => [path, facts.roundOf(path) + 1])) },
      unheard: {
        ...Object.fromEntries(Object.entries(before.unheard ?? {}).filter(([path]) => !(path in attempts))),
        ...Object.fromEntries(unheard.map(({ path }) => [path, facts.heardOf(path)])),
      },
    },
    paths: Object.keys(attempts),
  };
}

/**
 * Those of some paths, and all that they are part of: their needs may have been undone, too.
 *
 * @param brokenIn what must begin again with them, since nothing is begun beside a failure.
 */
function touching(nodes: readonly Node[], paths: ReadonlySet<string>, brokenIn: (node: Node) => readonly Node[]): Node[] {
  return nodes.flatMap((node) => {
    const inner = touching(node.children ?? [], paths, brokenIn);
    return inner.length > 0 || paths.has(node.path) ? [node, ...inner, ...brokenIn(node)] : [];
  });
}

/**
 * Of a level and of all inside it: failures that count, and what was cancelled, or cut off by the end of the run.
 * What is kept inside a step that has not begun since an earlier retry stays.
 */
function broken(level: readonly Node[], wasCut: (node: Node) => boolean, hasBegun: (node: Node) => boolean): Node[] {
  return level.flatMap((node) => {
    const isBroken = wasCut(node) || (node.phase === 'Failed' && !isHandled(node, level));
    if (!isBroken) return [];
    return [node, ...(hasBegun(node) ? broken(node.children ?? [], wasCut, hasBegun) : [])];
  });
}
