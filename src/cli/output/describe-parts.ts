import type { ComponentReport } from '../../../definitions/application/schema.ts';
import type { JsonObject, Resource } from '../../../definitions/core/resource.ts';
import type { StepStatus } from '../../../definitions/workflow-run/schema.ts';
import { escapeLine } from '../escape.ts';
import { reportsOf } from '../instances/reports.ts';
import type { Io } from '../io.ts';
import { stepTable } from './flow-table.ts';
import { instancesText } from './instances.ts';
import { toYaml } from './objects.ts';
import { renderTable } from './table.ts';
import { WIDTH, wrap } from './wrap.ts';

/** What a status holds that reads better as a table, and the fields that need not be shown again. */
export interface Parts {
  readonly text: string;
  readonly fields: readonly string[];
}

const NONE: Parts = { text: '', fields: [] };

/** The instances, components or steps of a resource. */
export async function partsOf(io: Io, resource: Resource): Promise<Parts> {
  const group = resource.apiVersion.split('/')[0];
  if (resource.kind === 'Application' && group === 'app.colonies.io') return components(resource);
  if (resource.kind === 'WorkflowRun' && group === 'automation.colonies.io') return steps(io, resource);
  const reports = reportsOf(resource);
  return reports.length > 0 ? { text: `Instances:\n${instancesText(reports, io.now())}`, fields: ['instances'] } : NONE;
}

/** Each component with what it waits for, below it what it says. */
function components({ status }: Resource): Parts {
  const reports = (Array.isArray(status?.components) ? status.components : []) as readonly ComponentReport[];
  if (reports.length === 0) return NONE;
  const rows = reports.map(({ name, kind, ready, phase, waitingFor = [] }) => [
    name,
    ready ? 'True' : 'False',
    phase,
    kind,
    waitingFor.join(', ') || '-',
  ]);
  const [titles, ...lines] = renderTable(['COMPONENT', 'READY', 'PHASE', 'KIND', 'WAITS FOR'], rows, { indent: '  ' })
    .trimEnd()
    .split('\n');
  const text = lines.flatMap((line, i) => [line, ...said(reports[i] as ComponentReport)]);
  return { text: `Components:\n${[titles, ...text].map((line) => `${line}\n`).join('')}`, fields: ['components'] };
}

function said({ message, ready }: ComponentReport): readonly string[] {
  return message && !ready ? [`      ${wrap(escapeLine(message), { indent: 6 })}`] : [];
}

async function steps(io: Io, resource: Resource): Promise<Parts> {
  const states = Object.entries((resource.status?.steps ?? {}) as Readonly<Record<string, StepStatus>>);
  if (states.length === 0) return NONE;
  const outputs = Object.fromEntries(states.flatMap(([path, state]) => (state.outputs ? [[path, state.outputs]] : [])));
  return {
    text: `Steps:\n${stepTable(io, resource, { indent: '  ', width: WIDTH })}${await shown('Outputs of steps', outputs)}`,
    fields: ['steps'],
  };
}

async function shown(title: string, value: JsonObject): Promise<string> {
  if (Object.keys(value).length === 0) return '';
  const lines = (await toYaml(value)).trimEnd().split('\n');
  return `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
