import { isSame } from '../diff.ts';
import type { Issue } from '../kind.ts';
import { pathOf } from '../path.ts';
import { quote } from '../quote.ts';
import { branchesOf, type Schema } from './schema.ts';

/** Stands in a path for every item of a list and every field of a map. */
const EACH = Symbol('each');

/** Where a value is that may be set once. */
export type FieldPath = readonly (string | typeof EACH)[];

/** All places of a schema that are marked immutable. */
export function immutablePaths(schema: Schema, path: FieldPath = []): readonly FieldPath[] {
  if (schema.isImmutable) return [path];
  return [
    ...[...(schema.properties ?? [])].flatMap(([name, inner]) => immutablePaths(inner, [...path, name])),
    ...[schema.additional, schema.items].flatMap((inner) => (inner ? immutablePaths(inner, [...path, EACH]) : [])),
    ...branchesOf(schema).flatMap((inner) => immutablePaths(inner, path)),
  ];
}

/**
 * Compares an old and a new spec in the places that are immutable.
 *
 * The rule, everywhere the same: a value that was set must stand at the same path, unchanged; one that was not may be set.
 * So a list whose items have immutable fields can grow at its end but not shrink or be reordered, and a map keeps its keys.
 */
export function immutableIssues(paths: readonly FieldPath[], before: unknown, after: unknown, root: string): readonly Issue[] {
  const issues = new Map<string, Issue>();
  for (const path of paths) {
    compare(path, before, after, [], (where, old) => {
      const at = pathOf(root, where);
      issues.set(at, { path: at, message: `cannot be changed once it is set (is ${quote(old)})` });
    });
  }
  return [...issues.values()];
}

function compare(
  [head, ...tail]: FieldPath,
  before: unknown,
  after: unknown,
  path: readonly (string | number)[],
  say: (path: readonly (string | number)[], old: unknown) => void,
): void {
  if (before === undefined || before === null) return;
  if (head === undefined) {
    if (!isSame(before, after)) say(path, before);
    return;
  }
  if (typeof before !== 'object') return;
  const keys = head === EACH ? (Array.isArray(before) ? [...before.keys()] : Object.keys(before)) : [head];
  for (const key of keys) compare(tail, fieldOf(before, key), fieldOf(after, key), [...path, key], say);
}

function fieldOf(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (typeof key === 'number')) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string | number, unknown>)[key] : undefined;
}
