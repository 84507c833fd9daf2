import { CHILDREN, inventoryOf, removeChildren } from '../core/children.ts';
import type { Plan, View } from '../core/plan.ts';
import { exitSteps, type StepSpec } from '../flows/schema.ts';
import { cameOut } from './ending.ts';
import { Facts, STEPS } from './facts.ts';
import { cleanUpSteps } from './left-behind.ts';
import { assessRun } from './run.ts';
import type { Ending, WorkflowRunSpec } from './schema.ts';
import { stillTelling, stillTold, type Telling } from './telling.ts';

/**
 * Plans the end of a run that is deleted: what it applied goes, and what its steps have run.
 *
 * Guarantees: it is not gone before nothing of its steps is in the air, so that what they ran is found.
 */
export function leaving(view: View<WorkflowRunSpec>): Plan {
  const { spec, status, propagation } = view;
  const inventory = inventoryOf(view);
  const kept = new Set(withKeep(spec));
  const released = propagation === 'Orphan' ? inventory : inventory.filter(({ key }) => kept.has((key ?? '').replace(/\[\d+\]/g, '')));
  const going = inventory.filter((child) => !released.includes(child)).reverse();
  const isDone = inventory.length === 0 && view.observed[CHILDREN]?.key.startsWith('childrenGone/');
  const mayHave = !isDone && (inventory.length > 0 || hasResources(spec.steps) || hasResources(exitSteps(spec)));
  const all = kept.size === 0 && propagation !== 'Orphan';
  const children = mayHave ? removeChildren(view as unknown as View, { waves: going.map((child) => [child]), released, all }) : [];
  const { conditions: _conditions, phase: _phase, observedGeneration: _generation, ...own } = status ?? {};
  // Who is being told that it failed is told also when it goes at once, as its Workflow may wish; that takes no longer than a minute.
  const inAir = new Set(view.inAir);
  const tells = tellingAfter(view).steps.filter(({ key }) => inAir.has(key));
  const isFlying = (view.inAir ?? []).some((key) => key.startsWith(STEPS));
  const cleanUp = cleanUpSteps(view);
  const steps = [...children, ...(isFlying ? [] : cleanUp), ...tells];
  return {
    steps,
    status: own,
    finalized: steps.length === 0 && !isFlying,
    leftBehind: [
      ...inventory.map(({ kind, name }) => `${kind} ${name}, which it owns.`),
      ...cleanUp.map(({ input }) => `What its steps have run on node ${input.node}, until the agent of that node sweeps.`),
    ],
  };
}

/** Who is still to be told of an end that was said, also of one that a retry has taken back. */
export function tellingAfter(view: View<WorkflowRunSpec>): Telling {
  const ending = view.status?.ending as Ending | undefined;
  const facts = new Facts(view);
  if (ending?.retries !== facts.restarts.retries) return stillTold(view, facts);
  return stillTelling(view, facts, ending, () => cameOut(assessRun(view), ending));
}

/** One may have been made that nobody has reported. */
const hasResources = (steps: readonly StepSpec[]): boolean =>
  steps.some(({ resource, steps: inner = [] }) => resource !== undefined || hasResources(inner));

/** Paths of steps whose resource stays, without the numbers of iterations. */
function withKeep(spec: WorkflowRunSpec): readonly string[] {
  const of = (list: readonly StepSpec[], prefix: string): string[] =>
    list.flatMap(({ name, resource, steps: inner = [] }) => [
      ...(resource?.keep ? [`${prefix}${name}`] : []),
      ...of(inner, `${prefix}${name}.`),
    ]);
  return [...of(spec.steps, ''), ...of(exitSteps(spec), 'exit.')];
}
