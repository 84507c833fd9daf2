import { word } from '../../../definitions/core/quote.ts';
import { type Colour, paint } from '../colour.ts';
import { escapeLine } from '../escape.ts';
import type { FieldForecast, Forecast, PartForecast, PartOperation } from '../forecast/forecast.ts';
import type { Io } from '../io.ts';
import { WIDTH, wrap } from './wrap.ts';

const SIGNS: Readonly<Record<PartOperation, readonly [string, Colour]>> = {
  created: ['+', 'green'],
  changed: ['~', 'yellow'],
  replaced: ['±', 'yellow'],
  unchanged: ['=', 'dim'],
  deleted: ['-', 'red'],
  kept: ['=', 'dim'],
  skipped: ['·', 'dim'],
  undecided: ['?', 'yellow'],
  refused: ['!', 'red'],
};

const WORDS: Readonly<Record<PartOperation, string>> = {
  created: 'created',
  changed: 'changed in place',
  replaced: 'replaced',
  unchanged: 'unchanged',
  deleted: 'deleted',
  kept: 'kept',
  skipped: 'not wanted',
  undecided: 'not decided',
  refused: 'refused',
};

/** What one manifest would do, for a person. */
export function planText(io: Pick<Io, 'colour'>, { resource, operation, changes, note, waves = [], leaving = [] }: Forecast): string {
  const width = Math.max(0, ...[...waves.flat(), ...leaving].map(({ name }) => name.length));
  const parts = (list: readonly PartForecast[]) => list.flatMap((part) => partLines(io, part, width));
  const lines = [
    `${signed(io, operation)} ${escapeLine(resource)}: ${WORDS[operation]}`,
    ...(note ? [wrapped(note, 4)] : []),
    ...(waves.length > 0 ? [] : changes.map((change) => changeLines(change, 4))),
    ...waves.flatMap((wave, index) => [wrapped(`wave ${index + 1}: ${wave.map(({ name }) => name).join(', ')}`, 2), ...parts(wave)]),
    ...(leaving.length > 0 ? ['  afterwards:', ...parts(leaving)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** `Plan: 2 created, 1 changed; nothing was touched.` Of an application its components count, too. */
export function planSummary(forecasts: readonly Forecast[]): string {
  const operations = forecasts.flatMap(({ operation, waves = [], leaving = [] }) => [
    operation,
    ...[...waves.flat(), ...leaving].map((part) => part.operation),
  ]);
  const counts = (Object.keys(WORDS) as PartOperation[]).flatMap((operation) => {
    const count = operations.filter((one) => one === operation).length;
    return count > 0 ? [`${count} ${WORDS[operation]}`] : [];
  });
  return `${wrap(`Plan: ${counts.join(', ') || 'nothing'}. Nothing was touched.`)}\n`;
}

function partLines(
  io: Pick<Io, 'colour'>,
  { name, kind, resource, operation, changes, note }: PartForecast,
  width: number,
): readonly string[] {
  const head = `    ${signed(io, operation)} ${escapeLine(name).padEnd(width)}  ${WORDS[operation]}: ${escapeLine(`${kind} ${resource}`)}`;
  return [head, ...(note ? [wrapped(note, 8)] : []), ...changes.map((change) => changeLines(change, 8))];
}

const signed = (io: Pick<Io, 'colour'>, operation: PartOperation): string => paint(io, SIGNS[operation][1], SIGNS[operation][0]);

const wrapped = (text: string, indent: number): string =>
  `${' '.repeat(indent)}${wrap(escapeLine(text), { indent: indent + 2, first: indent })}`;

/** On one line where it fits, else on one line for each value. */
function changeLines(change: FieldForecast, indent: number): string {
  const [from, to] = [change.old === undefined ? undefined : word(change.old), newText(change)];
  const path = escapeLine(change.path);
  const line = `${' '.repeat(indent)}${path}: ${from === undefined ? to : `${from} → ${to}`}`;
  if (line.length <= WIDTH) return line;
  const deeper = ' '.repeat(indent + 2);
  return [
    `${' '.repeat(indent)}${path}:`,
    ...(from === undefined ? [] : [`${deeper}${from}`]),
    `${deeper}${from === undefined ? '' : '→ '}${to}`,
  ].join('\n');
}

function newText({ type, new: value, knownAfter }: FieldForecast): string {
  if (knownAfter) return `(known after ${knownAfter.join(', ')} ${knownAfter.length === 1 ? 'is' : 'are'} ready)`;
  return type === 'removed' ? '(taken away)' : word(value);
}
