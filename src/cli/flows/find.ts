import type { Resource } from '../../../definitions/core/resource.ts';
import type { StepStatus } from '../../../definitions/workflow-run/schema.ts';
import type { Context } from '../context.ts';
import { isAsking } from '../output/flow-notes.ts';
import { isRefusal } from '../report.ts';
import { type FoundKind, findKind, findKinds, type Selected } from '../selection.ts';
import { UsageError } from '../usage-error.ts';
import { allSteps, flowOf } from './flow.ts';

const GROUP = 'automation.colonies.io';
export type FlowKind = 'Workflow' | 'WorkflowRun';

/** A flow that is there. */
export interface Found extends Selected {
  readonly resource: Resource;
}

/**
 * The run or the Workflow that a word names: `nightly-x7k2p`, `run/nightly-x7k2p`, `workflow/nightly`. A bare name is looked for in the
 * order of `kinds`. What is not there is an error that names them.
 */
export async function findFlow(context: Context, word: string, kinds: readonly FlowKind[]): Promise<Found> {
  const colony = await context.colony();
  const [first = '', second, ...rest] = word.split('/');
  if (rest.length > 0 || first === '' || second === '') throw new UsageError(`${JSON.stringify(word)} is not the name of ${either(kinds)}`);
  const isFlow = ({ known }: FoundKind): boolean => known.kind.group === GROUP && kinds.some((kind) => kind === known.names.kind);
  const wanted = second === undefined ? undefined : (await findKinds(colony, first)).find(isFlow)?.known;
  if (second !== undefined && !wanted) throw new UsageError(`${word} is no ${kinds.join(' and no ')}`);
  const ref = { name: second ?? first, namespace: context.namespace };
  for (const kind of kinds) {
    if (wanted && wanted.names.kind !== kind) continue;
    const found = await findKind(colony, `${kind}.${GROUP}`);
    const resource = await found.resources.get(ref).catch((error: unknown) => {
      if (!isRefusal(error, 'NotFound')) throw error;
    });
    if (resource) return { ...found, ref, resource };
  }
  throw Object.assign(new Error(`no ${wanted?.names.kind ?? kinds.join(' and no ')} is called ${ref.name} in namespace ${ref.namespace}`), {
    code: 'NotFound',
    hint: kinds.includes('WorkflowRun') ? 'See: colony get workflows,workflowruns' : 'See: colony get workflows',
  });
}

const either = (kinds: readonly FlowKind[]): string => kinds.map((kind) => `a ${kind}`).join(' or ');

/** The path of a step of a run; one that is not there is an error that says which are. */
export function stepIn(resource: Resource, word: string): string {
  const paths = pathsOf(resource);
  if (paths.includes(word)) return word;
  throw Object.assign(new Error(`${resource.metadata.name} has no step ${JSON.stringify(word)}`), {
    code: 'NotFound',
    hint: `Its steps: ${some(paths)}.`,
  });
}

/** The only step that waits for somebody's word. */
export function waitingStepOf(resource: Resource): string {
  const waiting = pathsOf(resource).filter((path) => isAsking(statesOf(resource)[path] ?? { phase: 'Pending' }));
  const [one, ...more] = waiting;
  if (one === undefined) throw new Error(`no step of ${resource.metadata.name} waits for an answer`);
  if (more.length > 0) throw new UsageError(`which step? These wait: ${some(waiting)}`);
  return one;
}

/** All that has a state, and what will have one; iterations of a loop once they are there. */
function pathsOf(resource: Resource): readonly string[] {
  const { steps, exit } = flowOf(resource);
  const written = allSteps([...steps, ...exit]).map(({ path }) => path);
  return [...new Set([...written.filter((path) => !path.includes('[*]')), ...Object.keys(statesOf(resource))])];
}

const statesOf = ({ status }: Resource) => (status?.steps ?? {}) as Readonly<Record<string, StepStatus>>;

const MAX_NAMED = 12;
const some = (names: readonly string[]): string =>
  names.length > MAX_NAMED ? `${names.slice(0, MAX_NAMED).join(', ')} and ${names.length - MAX_NAMED} more` : names.join(', ');
