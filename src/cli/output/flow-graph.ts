import type { Resource } from '../../../definitions/core/resource.ts';
import type { WorkflowRunStatus } from '../../../definitions/workflow-run/schema.ts';
import { escapeLine } from '../escape.ts';
import { allSteps, type Flow, type FlowStep, flowOf } from '../flows/flow.ts';
import type { Io } from '../io.ts';
import { phaseText } from './columns.ts';
import { detailOf, legend, paintPhase, signOf, tookText } from './flow-marks.ts';
import { stepNotes } from './flow-notes.ts';
import { graphList } from './graph-list.ts';
import { graphText } from './graph-text.ts';

type Look = Pick<Io, 'colour' | 'now'>;

const WIDTH = 80;
/** More are listed, not drawn. */
const MAX_DRAWN = 40;
const NAME_CHARS = 24;

/** The page of `colony workflow graph`: how the whole is, the steps in their order, and what a person should know of single ones. */
export function flowGraph(io: Look, resource: Resource): string {
  const flow = flowOf(resource);
  const phases = allSteps([...flow.steps, ...flow.exit, ...flow.undone]).flatMap(({ state }) => (state ? [state.phase] : []));
  const key = legend(io, phases);
  return [`${heading(io, resource)}\n`, ...parts(io, flow), stepNotes(resource, flow), key === '' ? '' : `${key}\n`]
    .filter(Boolean)
    .join('\n');
}

function heading({ now }: Look, resource: Resource): string {
  const { kind, metadata, status } = resource;
  const run = (status ?? {}) as Partial<WorkflowRunStatus>;
  const how = kind === 'WorkflowRun' ? [phaseText(resource), run.progress, run.duration ?? tookText(run, now())] : [];
  return escapeLine([`${kind} ${metadata.name}`, ...how.filter(Boolean)].join('   '));
}

/** The graph itself, then that of every step with steps of its own, then what is done at the end. */
function parts(io: Look, { steps, exit, undone }: Flow): readonly string[] {
  const inner = allSteps(steps).filter((step) => step.steps.length > 0);
  return [
    graph(io, steps, 0),
    ...inner.map((step) => `Inside ${escapeLine(step.path)}${step.isLoop ? ', for each' : ''}:\n${graph(io, step.steps, 2)}`),
    ...(undone.length > 0 ? [`Taken back:\n${graph(io, undone, 2)}`] : []),
    ...(exit.length > 0 ? [`At the end:\n${graph(io, exit, 2)}`] : []),
  ];
}

function graph(io: Look, steps: readonly FlowStep[], indent: number): string {
  const labelOf = (step: FlowStep): string => label(step, io.now());
  const nodes = steps.map((step) => ({
    name: step.name,
    needs: step.needs,
    label: labelOf(step),
    paint: (text: string) => (step.state ? paintPhase(io, step.state.phase, text) : text),
  }));
  const drawn = steps.length > MAX_DRAWN ? undefined : graphText(nodes, WIDTH - indent);
  const text = drawn ?? graphList(steps, labelOf);
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`))
    .join('\n');
}

/** `✓ extract 12s`. */
function label(step: FlowStep, now: number): string {
  const name = step.name.length > NAME_CHARS ? `${step.name.slice(0, NAME_CHARS - 1)}…` : step.name;
  return [step.state ? signOf(step.state.phase) : '', escapeLine(name), detailOf(step, now)].filter(Boolean).join(' ');
}
