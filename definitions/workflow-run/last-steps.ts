import { atEnd, cameOut, exitNodes, saidEnding } from './ending.ts';
import { type Node, withInner } from './node.ts';
import type { Run } from './run.ts';
import type { Ending, StepStatus } from './schema.ts';

/** As if all had gone well so far: only which steps there are at the end is asked. */
const PRESUMED: Ending = { status: 'Succeeded', reason: 'Succeeded', message: '', at: '', retries: 0 };

/** What is done under a path at the end of a run, or will be; what it will come to is not known before it begins. */
export function lastStepOf(run: Run, path: string): Pick<Node, 'phase'> | undefined {
  const { view, around } = run;
  const shown = ((view.status?.steps ?? {}) as Readonly<Record<string, StepStatus>>)[path];
  if (shown) return shown;
  const ending = saidEnding(run) ?? PRESUMED;
  const main = ending === PRESUMED ? run.nodes : cameOut(run, ending);
  const { undo, last } = atEnd(run, ending, main);
  const exit = exitNodes({ ...last, expanded: { count: 0 } }, view.spec, around, main, ending);
  return withInner([...undo, ...exit]).some((node) => node.path === path) ? { phase: 'Pending' } : undefined;
}

/** Whether a path is of what would undo a step, if the run came to that. */
export const mayBeUndone = (run: Run, path: string): boolean =>
  saidEnding(run) === undefined &&
  withInner(run.nodes).some((node) => `undo.${node.path}` === path && node.spec.compensate && node.type !== 'loop');
