import type { Resource } from '../../../definitions/core/resource.ts';
import type { InstanceReport } from '../../../definitions/replicas/report.ts';
import type { Family } from '../../client/api.ts';
import { paint } from '../colour.ts';
import { reportsOf } from '../instances/reports.ts';
import type { Io } from '../io.ts';
import { age } from './age.ts';
import { colourOf, phaseText, readyOf } from './columns.ts';
import { Table } from './table.ts';

export interface TreeLook {
  /** A column with what each says of itself. */
  readonly wide: boolean;
  readonly headers: boolean;
}

/** One line of the family. */
interface Line {
  readonly name: string;
  readonly ready: string;
  readonly status: string;
  readonly age: string;
  readonly message: string;
  readonly below: readonly Line[];
}

const NONE = '-';

/** The family as a tree, the root first; what runs for a resource hangs below it. */
export function treeText(io: Pick<Io, 'colour' | 'now'>, family: Family, { wide, headers }: TreeLook): string {
  const columns = [
    { title: 'NAME' },
    { title: 'READY', paint: (cell: string) => paint(io, colourOf(cell.trim()), cell) },
    { title: 'STATUS' },
    { title: 'AGE' },
    ...(wide ? [{ title: 'MESSAGE' }] : []),
  ];
  const rows = drawn(lineOf(family, io.now()));
  return new Table(columns, { headers }).render(rows.map((row) => row.slice(0, columns.length)));
}

function drawn({ name, ready, status, age: old, message, below }: Line, prefix = '', rest = ''): readonly (readonly string[])[] {
  const rows = below.flatMap((line, index) => {
    const isLast = index === below.length - 1;
    return drawn(line, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`);
  });
  return [[`${prefix}${name}`, ready, status, old, message], ...rows];
}

function lineOf({ resource, children }: Family, now: number, namespace = resource.metadata.namespace): Line {
  const { kind, metadata } = resource;
  const elsewhere = metadata.namespace === undefined || metadata.namespace === namespace ? '' : ` in ${metadata.namespace}`;
  const ready = readyOf(resource);
  return {
    name: `${kind.toLowerCase()}/${metadata.name}${elsewhere}`,
    ready: readyNow(resource),
    status: phaseText(resource),
    age: age(metadata.creationTimestamp, now),
    message: ready?.message ?? '',
    below: [
      ...children.map((child) => lineOf(child, now, metadata.namespace ?? namespace)),
      ...reportsOf(resource).map((report) => instanceLine(report, now)),
    ],
  };
}

function instanceLine({ slot, node, ready, state, startedAt, message = '' }: InstanceReport, now: number): Line {
  return {
    name: `instance ${slot} on ${node}`,
    ready: ready ? 'True' : 'False',
    status: state,
    age: startedAt === undefined ? NONE : age(startedAt, now),
    message,
    below: [],
  };
}

/** The family as JSON shows it: who, how it is, and the children the same way. */
export function treeObject({ id, resource, children }: Family): object {
  const { apiVersion, kind, metadata } = resource;
  const ready = readyOf(resource);
  return {
    apiVersion,
    kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name,
    uid: metadata.uid,
    workflowId: id,
    creationTimestamp: metadata.creationTimestamp,
    phase: phaseText(resource),
    ready: readyNow(resource),
    ...(ready ? { reason: ready.reason, message: ready.message } : {}),
    children: children.map(treeObject),
  };
}

/** What was said of an earlier spec is no answer. */
function readyNow(resource: Resource): string {
  const ready = readyOf(resource);
  return ready && ready.observedGeneration >= resource.metadata.generation ? ready.status : 'Unknown';
}
