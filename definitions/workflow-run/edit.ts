import { canonical } from '../core/json.ts';
import type { Issue } from '../core/kind.ts';
import { pathOf } from '../core/path.ts';
import type { View } from '../core/plan.ts';
import { referencesOf } from '../flows/needs.ts';
import type { StepSpec } from '../flows/schema.ts';
import { isFinished } from './finished.ts';
import { hasEnded, type Node, withInner } from './node.ts';
import { assessRun } from './run.ts';
import type { WorkflowRunSpec } from './schema.ts';

/** What may be changed of a run that has come out already. */
const ALWAYS: readonly (keyof WorkflowRunSpec)[] = ['ttlSecondsAfterFinished', 'suspend'];

/** What is wrong with changing a live run: what has started or ended stays as it is, and so do the parameters it used. */
export function editIssues(next: WorkflowRunSpec, view: View<WorkflowRunSpec>): readonly Issue[] {
  const { spec, status } = view;
  if (canonical(next) === canonical(spec)) return [];
  if (isFinished(view) || status?.ending !== undefined) return overIssues(next, spec);
  const { nodes, circle } = assessRun(view);
  const hasStarted = (node: Node) => hasEnded(node) || node.attempts > circle.facts.baseOf(node.path);
  const begun = withInner(nodes).filter(hasStarted);
  return [...stepIssues(next.steps, nodes, ['steps'], hasStarted), ...paramIssues(next, spec, begun)];
}

function overIssues(next: WorkflowRunSpec, spec: WorkflowRunSpec): Issue[] {
  const fields = [...new Set([...Object.keys(next), ...Object.keys(spec)])] as (keyof WorkflowRunSpec)[];
  return fields
    .filter((field) => !ALWAYS.includes(field) && canonical(next[field]) !== canonical(spec[field]))
    .map((field) => ({ path: `spec.${field}`, message: 'cannot be changed: the run has ended, or is ending' }));
}

type Path = readonly (string | number)[];

function stepIssues(next: readonly StepSpec[], nodes: readonly Node[], at: Path, hasStarted: (node: Node) => boolean): Issue[] {
  return nodes.filter(hasStarted).flatMap((node) => {
    const index = next.findIndex(({ name }) => name === node.name);
    const found = next[index];
    const is = hasEnded(node) ? `it is ${node.phase}` : 'it has started';
    if (!found) return [{ path: pathOf('spec', at), message: `step ${node.name} cannot be taken away: ${is}` }];
    const path = [...at, index];
    if (node.type !== 'steps') return sameIssues(found, node.spec, path, is);
    const { steps: inner = [], ...own } = found;
    const { steps: _before, ...before } = node.spec;
    return [...sameIssues(own, before, path, is), ...stepIssues(inner, node.children ?? [], [...path, 'steps'], hasStarted)];
  });
}

function sameIssues(next: Partial<StepSpec>, before: Partial<StepSpec>, at: Path, is: string): Issue[] {
  const fields = [...new Set([...Object.keys(next), ...Object.keys(before)])] as (keyof StepSpec)[];
  return fields
    .filter((field) => canonical(next[field]) !== canonical(before[field]))
    .map((field) => ({ path: pathOf('spec', [...at, field]), message: `cannot be changed: ${is}` }));
}

/** Also what decided that a step is skipped was used. */
function paramIssues(next: WorkflowRunSpec, spec: WorkflowRunSpec, begun: readonly Node[]): Issue[] {
  const names = [...new Set([...Object.keys(next.params ?? {}), ...Object.keys(spec.params ?? {})])];
  const changed = names.filter((name) => canonical(next.params?.[name]) !== canonical(spec.params?.[name]));
  if (changed.length === 0) return [];
  return changed.flatMap((name) => {
    const user = begun.find(({ spec: step }) => speaksOf(step, name));
    return user ? [{ path: pathOf('spec.params', [name]), message: `cannot be changed: step ${user.path} has used it` }] : [];
  });
}

const speaksOf = (step: StepSpec, param: string): boolean =>
  referencesOf(step).some(([root, name]) => root === 'params' && (name === undefined || name === param));
