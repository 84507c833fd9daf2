import { fillTemplate, readTemplate, type Scope, written } from '../../../definitions/core/expressions/index.ts';
import { pathOf } from '../../../definitions/core/path.ts';

/** A spec as far as it can be filled in now. */
export interface FilledSpec {
  /** What cannot be known yet is as it is in `before`, or left out. */
  readonly value: unknown;
  readonly unknown: readonly UnknownField[];
}

export interface UnknownField {
  readonly path: string;
  readonly old?: unknown;
  /** Who must be ready before. */
  readonly after: readonly string[];
}

const ROOTS = { roots: ['params', 'components'] };

/** Fills in text by text, so that one value that is not known yet does not hide the others. */
export function fillKnown(template: unknown, before: unknown, scope: Scope, isSettled: (component: string) => boolean): FilledSpec {
  const unknown: UnknownField[] = [];
  const fill = (value: unknown, old: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof value === 'string') {
      const open = openNames(value, isSettled);
      const filled = open.length > 0 ? { missing: [] } : fillTemplate(value, scope);
      if ('value' in filled) return filled.value;
      const missing = 'missing' in filled ? filled.missing.map(written) : [filled.problem];
      unknown.push({ path: pathOf('spec', path), ...(old === undefined ? {} : { old }), after: open.length > 0 ? open : missing });
      return old;
    }
    if (Array.isArray(value)) return value.map((item, index) => fill(item, Array.isArray(old) ? old[index] : undefined, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(
      ([key, field]) => [key, fill(field, isObject(old) ? old[key] : undefined, [...path, key])] as const,
    );
    return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
  };
  return { value: fill(template, before, []), unknown };
}

/** The components that a text refers to and whose values are not known. */
export function openNames(text: string, isSettled: (component: string) => boolean): readonly string[] {
  const names = readTemplate(text, ROOTS).references.flatMap(([root, name]) => (root === 'components' && name ? [name] : []));
  return [...new Set(names)].filter((name) => !isSettled(name)).sort();
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
