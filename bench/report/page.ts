import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Result } from '../suite.ts';
import { type Machine, sentenceOf } from './machine.ts';
import type { Outcome } from './outcome.ts';
import { isKept } from './results.ts';
import { figure } from './statistics.ts';

const HEAD = `# Performance

Written by \`npm run bench -- --write\`; do not edit by hand. How to read it and what is compared with what: [bench/README.md](../bench/README.md).
A ratio compares ours with its peer in one run on one machine; *value* must not exceed *max*, smaller is better.
`;

export interface Section extends Outcome {
  readonly date: string;
  readonly machine: Machine;
}

/** Replaces the sections of the suites that ran and leaves the others as their last run wrote them. */
export function writePage(file: string, sections: readonly Section[]): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const kept = new Map<string, string>();
  for (const [, name, body] of text.matchAll(/<!-- suite (\S+) -->\n([\s\S]*?)<!-- end -->\n/g)) if (name && body) kept.set(name, body);
  for (const section of sections) kept.set(section.suite, bodyOf(section));
  const blocks = [...kept].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, body]) => `<!-- suite ${name} -->\n${body}<!-- end -->\n`);
  writeFileSync(file, [HEAD, ...blocks].join('\n'));
}

function bodyOf({ suite, results, date, machine }: Section): string {
  const notes = results.filter(({ note }) => note).map(({ name, note }) => `- *${name}*: ${note}`);
  return [
    `## ${suite}`,
    '',
    `${date}. ${sentenceOf(machine)}.`,
    '',
    '| | value | unit | max | ours | peer | |',
    '|---|---:|---|---:|---:|---:|---|',
    ...results.map(row),
    '',
    ...(notes.length > 0 ? [...notes, ''] : []),
  ].join('\n');
}

function row(result: Result): string {
  const { name, value, unit, max, ours, peer } = result;
  const cells = [name, figure(value), unit, max === undefined ? '' : figure(max), figure(ours), peer === undefined ? '' : figure(peer)];
  return `| ${cells.join(' | ')} | ${max === undefined ? 'for information' : isKept(result) ? 'kept' : '**missed**'} |`;
}
