import type { Names, PrinterColumn } from '../../../definitions/core/kind.ts';
import type { Condition, Resource } from '../../../definitions/core/resource.ts';
import { type Colour, paint } from '../colour.ts';
import type { Io } from '../io.ts';
import { age } from './age.ts';
import { label } from './identify.ts';
import { evaluate } from './json-path.ts';
import type { Column } from './table.ts';

/** What a table must know of a kind. */
export interface KindFacts {
  readonly names: Names;
  readonly columns: readonly PrinterColumn[];
}

export interface TableOptions {
  readonly wide: boolean;
  readonly withNamespace: boolean;
  /** Names as `widget.example.com/w1`, when several kinds share the output. */
  readonly withKind: boolean;
  readonly withLabels: boolean;
}

/** A column that knows how to fill itself. */
export interface FilledColumn extends Column {
  readonly cell: (resource: Resource, now: number) => string;
}

const NONE = '<none>';

/** The kind's own columns between name and age, or the ones that every resource can fill. */
export function columnsOf(kind: KindFacts, options: TableOptions, io: Pick<Io, 'colour'>): readonly FilledColumn[] {
  const own = kind.columns.filter(({ priority = 0 }) => options.wide || priority <= 0).map((one) => printerColumn(one, io));
  const hasAge = kind.columns.some(({ name }) => name.toUpperCase() === 'AGE');
  return [
    ...(options.withNamespace ? [column('NAMESPACE', ({ metadata }) => metadata.namespace ?? '')] : []),
    column('NAME', (resource) => (options.withKind ? label(resource) : resource.metadata.name)),
    ...(own.length > 0 ? [...own, ...(hasAge ? [] : [ageColumn])] : common(io)),
    ...(options.wide ? [column('REASON', (resource) => readyOf(resource)?.reason ?? NONE), column('MESSAGE', messageOf)] : []),
    ...(options.withLabels ? [column('LABELS', labelsOf)] : []),
  ];
}

/** The Ready condition, or none yet. */
export const readyOf = ({ status }: Resource): Condition | undefined => status?.conditions?.find(({ type }) => type === 'Ready');

/** `3`, or `2/3` while the world is still at generation 2. */
export function generationText({ metadata, status }: Resource): string {
  const observed = status?.observedGeneration ?? 0;
  return observed === metadata.generation ? String(metadata.generation) : `${observed}/${metadata.generation}`;
}

/** The phase, unless it is on its way out. */
export function phaseText({ metadata, status }: Resource): string {
  return metadata.deletionTimestamp ? 'Deleting' : (status?.phase ?? 'Pending');
}

const column = (title: string, cell: FilledColumn['cell']): FilledColumn => ({ title, cell });
const ageColumn = column('AGE', ({ metadata }, now) => age(metadata.creationTimestamp, now));

const common = (io: Pick<Io, 'colour'>): readonly FilledColumn[] => [
  { ...column('READY', (resource) => readyOf(resource)?.status ?? 'Unknown'), paint: (cell) => paint(io, colourOf(cell.trim()), cell) },
  column('STATUS', phaseText),
  column('GEN', generationText),
  ageColumn,
];

/** Of `True`, or of `2/3`. */
export function colourOf(ready: string): Colour {
  const [, is, wished] = /^(\d+)\/(\d+)$/.exec(ready) ?? [];
  if (ready === 'True' || (is !== undefined && is === wished)) return 'green';
  return ready === 'False' || is === '0' ? 'red' : 'yellow';
}

const messageOf = (resource: Resource): string => readyOf(resource)?.message ?? '';

function labelsOf({ metadata }: Resource): string {
  const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return labels.length > 0 ? labels.join(',') : NONE;
}

function printerColumn({ name, jsonPath, type }: PrinterColumn, io: Pick<Io, 'colour'>): FilledColumn {
  const filled = column(name.toUpperCase(), (resource, now) => {
    const value = valueAt(jsonPath, resource);
    return type === 'date' && typeof value === 'string' ? age(value, now) : text(value);
  });
  return filled.title === 'READY' ? { ...filled, paint: (cell) => paint(io, colourOf(cell.trim()), cell) } : filled;
}

/** A path that a definition wrote wrongly spoils its own cell and nothing else. */
function valueAt(path: string, resource: Resource): unknown {
  try {
    return evaluate(path, resource);
  } catch {
    return '<bad path>';
  }
}

function text(value: unknown): string {
  if (value === undefined || value === null || value === '') return NONE;
  if (Array.isArray(value)) return value.map(text).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
