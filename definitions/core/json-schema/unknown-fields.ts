import { branchesOf, type Schema } from './schema.ts';

/** What all parts of a schema together say about the shape of one place in a value. */
export interface Level {
  /** Fields that nobody speaks of are welcome. */
  readonly isOpen: boolean;
  readonly fields: ReadonlyMap<string, Level>;
  /** What fields beside `fields` look like. */
  readonly rest?: Level;
  readonly items?: Level;
}

/**
 * Gathers the shape from a schema and its branches.
 *
 * The rule: a field is known when any part of the schema names it in `properties` or `required`, be it a branch of allOf,
 * anyOf or oneOf. A place where no
 * part names any field is open. A place is also open where one part says so, or where one part describes all fields by
 * `additionalProperties` and another one names some.
 */
export function levelOf(schemas: readonly Schema[]): Level {
  const parts = schemas.flatMap(withBranches);
  const named = new Map<string, Schema[]>(parts.flatMap(({ required }) => required.map((name) => [name, []])));
  for (const { properties } of parts) {
    for (const [name, schema] of properties ?? []) named.set(name, [...(named.get(name) ?? []), schema]);
  }
  const rest = parts.flatMap(({ additional }) => additional ?? []);
  const items = parts.flatMap((part) => part.items ?? []);
  const isSilent = parts.every(({ properties, additional, isOpen }) => !properties && !additional && isOpen === undefined);
  const isMixed = rest.length > 0 && parts.filter(({ properties, additional }) => properties || additional).length > 1;
  return {
    isOpen: isSilent || isMixed || parts.some(({ isOpen }) => isOpen === true),
    fields: new Map([...named].map(([name, inner]) => [name, isMixed ? ANYTHING : levelOf(inner)])),
    ...(rest.length > 0 ? { rest: levelOf(rest) } : {}),
    ...(items.length > 0 ? { items: levelOf(items) } : {}),
  };
}

const ANYTHING: Level = { isOpen: true, fields: new Map() };

const withBranches = (schema: Schema): readonly Schema[] => [schema, ...branchesOf(schema).flatMap(withBranches)];

/** Reports every field that no part of the schema speaks of, with the names that are known there. */
export function unknownFields(
  level: Level,
  value: unknown,
  say: (path: (string | number)[], known: readonly string[]) => void,
  path: readonly (string | number)[] = [],
): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const { items } = level;
    if (items) for (const [index, item] of value.entries()) unknownFields(items, item, say, [...path, index]);
    return;
  }
  let known: readonly string[] | undefined;
  for (const [name, field] of Object.entries(value)) {
    const inner = level.fields.get(name) ?? level.rest;
    if (inner) unknownFields(inner, field, say, [...path, name]);
    else if (!level.isOpen) {
      known ??= [...level.fields.keys()];
      say([...path, name], known);
    }
  }
}
