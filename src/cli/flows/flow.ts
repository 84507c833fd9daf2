import type { Resource } from '../../../definitions/core/resource.ts';
import { isLoop, typeOf } from '../../../definitions/flows/form.ts';
import { needsOf } from '../../../definitions/flows/needs.ts';
import { exitSteps, type Flow as FlowSpec, type StepSpec, type StepType } from '../../../definitions/flows/schema.ts';
import type { StepPhase, StepStatus } from '../../../definitions/workflow-run/schema.ts';

/** A step with what is known of it. */
export interface FlowStep {
  /** As the status of a run names it: `load`, `outer.inner`, `each[*].inner` inside a loop. */
  readonly path: string;
  readonly name: string;
  readonly type: StepType;
  /** Steps beside it that come first. */
  readonly needs: readonly string[];
  /** Absent in a Workflow, which does nothing itself. */
  readonly state?: StepStatus;
  readonly isLoop: boolean;
  /** Steps of its own. */
  readonly steps: readonly FlowStep[];
}

/** What a Workflow does, or a run of it does and did. */
export interface Flow {
  readonly steps: readonly FlowStep[];
  /** Done at the end, whatever it was. */
  readonly exit: readonly FlowStep[];
  /** What was taken back, in the order of the status. */
  readonly undone: readonly FlowStep[];
}

interface Known {
  readonly states: Readonly<Record<string, StepStatus>>;
  /** How those are of which nothing is said. */
  readonly others: StepPhase;
}

/** Reads a Workflow or a WorkflowRun. */
export function flowOf({ kind, spec, status }: Resource): Flow {
  const flow = spec as unknown as FlowSpec;
  const known = kind === 'WorkflowRun' ? ((status?.steps ?? {}) as Known['states']) : undefined;
  const isOver = status?.conditions?.some((one) => one.type === 'Completed' && one.status === 'True');
  const states = known && { states: known, others: isOver ? ('Omitted' as const) : ('Pending' as const) };
  return {
    steps: levelOf(flow.steps ?? [], states, ''),
    exit: levelOf(exitSteps(flow), states, 'exit.'),
    undone: Object.entries(known ?? {})
      .filter(([path]) => path.startsWith('undo.'))
      .map(([path, state]) => ({ path, name: path.slice('undo.'.length), type: 'function', needs: [], state, isLoop: false, steps: [] })),
  };
}

/** All steps, each before its own. */
export const allSteps = (steps: readonly FlowStep[]): readonly FlowStep[] => steps.flatMap((step) => [step, ...allSteps(step.steps)]);

function levelOf(steps: readonly StepSpec[], known: Known | undefined, prefix: string): readonly FlowStep[] {
  const names = new Set(steps.map(({ name }) => name));
  return steps.map((step) => {
    const { stated, implied } = needsOf(step, (name) => names.has(name));
    const path = `${prefix}${step.name}`;
    const loops = isLoop(step);
    return {
      path,
      name: step.name,
      type: typeOf(step),
      needs: [...stated, ...implied],
      ...(known ? { state: stateOf(path, known) } : {}),
      isLoop: loops,
      steps: levelOf(step.steps ?? [], known, `${path}${loops ? '[*]' : ''}.`),
    };
  });
}

/** What the status says of a path; of all iterations together, where the path stands for them. */
function stateOf(path: string, { states, others }: Known): StepStatus {
  if (!path.includes('[*]')) return states[path] ?? { phase: others };
  const all = turnsOf(path, states).map(([, state]) => state);
  return { phase: phaseOfAll(all.map(({ phase }) => phase)), iterations: countsOf(all) };
}

/** The paths that one with `[*]` stands for, each with its state. */
export function turnsOf(path: string, states: Known['states']): readonly (readonly [string, StepStatus])[] {
  const pattern = new RegExp(`^${path.split('[*]').map(escaped).join('\\[\\d+\\]')}$`);
  return Object.entries(states).filter(([one]) => pattern.test(one));
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The first of these that one of them is in; what nobody has begun is Pending. */
const LOUDEST: readonly StepPhase[] = ['Failed', 'Suspended', 'Running', 'Cancelled', 'Pending', 'Succeeded', 'Skipped', 'Omitted'];

const phaseOfAll = (phases: readonly StepPhase[]): StepPhase => LOUDEST.find((phase) => phases.includes(phase)) ?? 'Pending';

function countsOf(all: readonly StepStatus[]): NonNullable<StepStatus['iterations']> {
  const count = (...phases: readonly StepPhase[]): number => all.filter(({ phase }) => phases.includes(phase)).length;
  return { total: all.length, succeeded: count('Succeeded'), failed: count('Failed'), skipped: count('Skipped', 'Omitted') };
}
