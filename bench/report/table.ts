import type { Result } from '../suite.ts';
import type { Outcome } from './outcome.ts';
import { isKept } from './results.ts';
import { figure } from './statistics.ts';

const NAME = 41;

/** The form for people: 80 columns, one line for each result, a heading for each suite. */
export function asTable(outcomes: readonly Outcome[]): string {
  const lines = outcomes.flatMap(({ suite, results }) => [line(suite, 'value', 'max', 'ours', 'peer', ''), ...results.map(row), '']);
  return lines.join('\n');
}

function row(result: Result): string {
  const { name, value, unit, max, ours, peer } = result;
  const of = /^ratio of (.*)$/.exec(unit)?.[1];
  const label = `  ${name} (${of ?? unit})`;
  const shown = of === undefined ? figure(value) : `${figure(value)}x`;
  const verdict = max === undefined ? '' : isKept(result) ? 'PASS' : 'FAIL';
  return line(label, shown, max === undefined ? '' : figure(max), figure(ours), peer === undefined ? '' : figure(peer), verdict);
}

function line(name: string, value: string, max: string, ours: string, peer: string, verdict: string): string {
  const label = name.length > NAME ? `${name}\n${' '.repeat(NAME)}` : name.padEnd(NAME);
  return `${label}${value.padStart(8)}${max.padStart(7)}${ours.padStart(9)}${peer.padStart(8)}  ${verdict}`.trimEnd();
}
