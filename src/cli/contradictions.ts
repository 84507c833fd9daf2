import type { Globals } from './context.ts';
import { UsageError } from './usage-error.ts';

/** Options by their field, as they are typed. */
const FLAGS = {
  filename: '-f',
  all: '--all',
  selector: '-l',
  allNamespaces: '-A',
  namespace: '-n',
  revision: '--revision',
  limit: '--limit',
  follow: '--follow',
  previous: '--previous',
} as const;

type Field = keyof typeof FLAGS;

/** What cannot both be meant: one of them would be taken silently for nothing. */
const PAIRS: readonly (readonly [Field, Field])[] = [
  ['filename', 'all'],
  ['filename', 'selector'],
  ['filename', 'allNamespaces'],
  ['all', 'selector'],
  ['allNamespaces', 'namespace'],
  ['revision', 'limit'],
  ['follow', 'previous'],
];

/** What picks resources when none is named. */
const PICKING: readonly Field[] = ['all', 'selector', 'allNamespaces'];

/** Refuses options that contradict each other. A namespace that only the environment names contradicts nothing. */
export function refuseContradictions(globals: Globals, options: object): void {
  const given: Partial<Record<Field, unknown>> = { ...globals, ...options };
  const found = PAIRS.find((pair) => pair.every((field) => isGiven(given[field])));
  if (found) throw notBoth(FLAGS[found[0]], FLAGS[found[1]]);
}

/** Refuses options that pick resources, when resources are named. */
export function refuseWithNames(wanted: readonly { readonly name?: string }[], options: Partial<Record<Field, unknown>>): void {
  if (wanted.every(({ name }) => name === undefined)) return;
  const picking = PICKING.find((field) => isGiven(options[field]));
  if (picking)
    throw notBoth('names', FLAGS[picking], picking === 'allNamespaces' ? 'A name is looked for in one: -n NAMESPACE.' : undefined);
}

export const notBoth = (one: string, other: string, hint?: string): UsageError => new UsageError(`give ${one} or ${other}, not both`, hint);

const isGiven = (value: unknown): boolean => value !== undefined && value !== false;
