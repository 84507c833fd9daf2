import type { GetOptions } from '../commands/get.ts';
import type { Globals } from '../context.ts';

/** A `get` that was read without the whole command line's machinery. */
export interface GetLine {
  readonly args: readonly string[];
  readonly options: GetOptions;
  readonly globals: Globals & { readonly color?: boolean };
}

const FLAGS: Readonly<Record<string, readonly [where: 'options' | 'globals', name: string, value: boolean | 'next']>> = {
  '-n': ['globals', 'namespace', 'next'],
  '--namespace': ['globals', 'namespace', 'next'],
  '-o': ['globals', 'output', 'next'],
  '--output': ['globals', 'output', 'next'],
  '--address': ['globals', 'address', 'next'],
  '--temporal-namespace': ['globals', 'temporalNamespace', 'next'],
  '--no-color': ['globals', 'color', false],
  '-A': ['options', 'allNamespaces', true],
  '--all-namespaces': ['options', 'allNamespaces', true],
  '-l': ['options', 'selector', 'next'],
  '--selector': ['options', 'selector', 'next'],
  '--show-labels': ['options', 'showLabels', true],
  '--no-headers': ['options', 'headers', false],
};

/** Reads `get …` spelled in the plain way; undefined for everything else, which commander then reads in its own. */
export function parseGet([verb, ...words]: readonly string[]): GetLine | undefined {
  if (verb !== 'get') return undefined;
  const line = { args: [] as string[], options: {} as Record<string, unknown>, globals: {} as Record<string, unknown> };
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (!word.startsWith('-')) {
      line.args.push(word);
      continue;
    }
    const [flag = '', attached] = word.startsWith('--') ? splitOnce(word) : [word];
    const known = FLAGS[flag];
    if (!known) return undefined;
    const [where, name, takes] = known;
    const value = takes === 'next' ? (attached ?? words.shift()) : takes;
    if (value === undefined || (takes !== 'next' && attached !== undefined)) return undefined;
    line[where][name] = value;
  }
  return line.args.length > 0 ? (line as GetLine) : undefined;
}

function splitOnce(word: string): readonly [string, string?] {
  const at = word.indexOf('=');
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
