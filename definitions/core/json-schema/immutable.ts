import { isSame } from '../diff.ts';
import type { Issue } from '../kind.ts';
import { pathOf } from '../path.ts';
import { quote } from '../quote.ts';
import { branchesOf, innerOf, type Schema } from './schema.ts';

type Path = readonly (string | number)[];

/**
 * Compares an old and a new spec in the places that the schema marks as immutable.
 *
 * The rule, everywhere the same: a value that was set must stand at the same path, unchanged; one that was not may be set.
 * So a list whose items have immutable fields can grow at its end but not shrink or be reordered, and a map keeps its keys.
 */
export function immutableIssues(schema: Schema, before: unknown, after: unknown, root: string): readonly Issue[] {
  const issues = new Map<string, Issue>();
  compare(schema, before, after, [], (path, old) => {
    const at = pathOf(root, path);
    issues.set(at, { path: at, message: `cannot be changed once it is set (is ${quote(old)})` });
  });
  return [...issues.values()];
}

function compare(schema: Schema, before: unknown, after: unknown, path: Path, say: (path: Path, old: unknown) => void): void {
  if (before === undefined || before === null || !marksSomething(schema)) return;
  if (schema.isImmutable) {
    if (!isSame(before, after)) say(path, before);
    return;
  }
  for (const branch of branchesOf(schema)) compare(branch, before, after, path, say);
  if (typeof before !== 'object') return;
  const { items } = schema;
  if (Array.isArray(before)) {
    if (items) for (const [index, item] of before.entries()) compare(items, item, fieldOf(after, index), [...path, index], say);
    return;
  }
  for (const [name, field] of Object.entries(before)) {
    const inner = schema.properties?.get(name) ?? schema.additional;
    if (inner) compare(inner, field, fieldOf(after, name), [...path, name], say);
  }
}

const known = new WeakMap<Schema, boolean>();

/** Whether anything in here is immutable; most of a value need not be walked. */
function marksSomething(schema: Schema): boolean {
  const earlier = known.get(schema);
  if (earlier !== undefined) return earlier;
  const found = schema.isImmutable || [...innerOf(schema), ...branchesOf(schema)].some(marksSomething);
  known.set(schema, found);
  return found;
}

function fieldOf(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (typeof key === 'number')) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string | number, unknown>)[key] : undefined;
}
