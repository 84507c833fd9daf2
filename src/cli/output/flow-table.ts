import type { Resource } from '../../../definitions/core/resource.ts';
import type { StepStatus } from '../../../definitions/workflow-run/schema.ts';
import { allSteps, type FlowStep, flowOf } from '../flows/flow.ts';
import type { Io } from '../io.ts';
import { age } from './age.ts';
import { countText, paintPhase, signOf, tookText } from './flow-marks.ts';
import { Table, type TableLook } from './table.ts';

type Look = Pick<Io, 'colour' | 'now'>;

/** The steps of a run as a table: how each is, when it began, how long and how often it was tried, and what it says. */
export function stepTable(io: Look, resource: Resource, look: Pick<TableLook, 'indent' | 'width'> = {}): string {
  const { steps, exit, undone } = flowOf(resource);
  const states = (resource.status?.steps ?? {}) as Readonly<Record<string, StepStatus>>;
  const rows = [...allSteps([...steps]), ...undone, ...allSteps([...exit])].flatMap((step) => rowsOf(io, step, states));
  const columns = ['STEP', 'STATE', 'STARTED', 'TOOK', 'TRIES', 'MESSAGE'].map((title) =>
    title === 'STATE' ? { title, paint: (cell: string) => paintPhase(io, phaseIn(cell), cell) } : { title },
  );
  return new Table(columns, { ...look, gap: '  ' }).render(rows);
}

const phaseIn = (cell: string): StepStatus['phase'] => cell.trim().split(' ')[1] as StepStatus['phase'];

/** Of a step inside a loop, the iterations that failed or wait: the others are counted where the loop stands. */
function rowsOf(io: Look, step: FlowStep, states: Readonly<Record<string, StepStatus>>): readonly (readonly string[])[] {
  const own = step.path.includes('[*]') || !step.state ? [] : [row(io, step.path, step.state)];
  const inner = step.isLoop
    ? Object.entries(states).filter(([path, { phase }]) => path.startsWith(`${step.path}[`) && ['Failed', 'Suspended'].includes(phase))
    : [];
  return [...own, ...inner.map(([path, state]) => row(io, path, state))];
}

function row(io: Look, path: string, state: StepStatus): readonly string[] {
  const { phase, startedAt, attempts, message, reason } = state;
  const said = (message ?? reason ?? '').replace(/\s*\n\s*/g, ' ');
  return [
    path,
    `${signOf(phase)} ${phase}`,
    startedAt === undefined ? '-' : `${age(startedAt, io.now())} ago`,
    tookText(state, io.now()) || '-',
    startedAt === undefined ? '-' : String(attempts ?? 1),
    [countText(state), said].filter(Boolean).join(': '),
  ];
}
