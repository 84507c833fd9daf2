import { UsageError } from '../usage-error.ts';
import { parse } from './json-path.ts';

export type Format = { readonly as: 'table' | 'wide' | 'json' | 'yaml' | 'name' } | { readonly as: 'jsonpath'; readonly path: string };

const ALL = ['table', 'wide', 'json', 'yaml', 'name', 'jsonpath'] as const;

/** Reads `-o`; what the command cannot print is a usage error that says what it can. */
export function parseFormat(text: string | undefined, allowed: readonly (typeof ALL)[number][] = ALL): Format {
  if (text === undefined || text === '') return { as: 'table' };
  const [as = '', ...path] = text.split('=');
  const known = allowed.find((name) => name === as);
  if (!known) throw new UsageError(`-o ${text} is not known here; use one of ${allowed.join(', ')}`);
  if (known !== 'jsonpath') return { as: known };
  return { as: known, path: checked(path.join('=')) };
}

function checked(path: string): string {
  try {
    if (parse(path).length > 0) return path;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  throw new UsageError('-o jsonpath needs a path, such as -o jsonpath=.status.phase');
}
