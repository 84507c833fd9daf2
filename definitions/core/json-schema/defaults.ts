import { innerOf, type Schema } from './schema.ts';
import type { Work } from './work.ts';

/**
 * Writes the defaults into a value, at every level that is there.
 *
 * Guarantees: the value is not touched, a copy is made where something is added; doing it twice is doing it once. As in
 * Kubernetes, an object that is absent and has no default of its own stays absent, whatever defaults its fields have; and
 * null for a field that may not be null but has a default counts as absent. Stops adding when `work` says that it is too much.
 */
export function fillDefaults(schema: Schema, value: unknown, work: Work): unknown {
  if (typeof value !== 'object' || value === null || !hasDefaults(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => fillField(schema.items, item, work));
  const filled: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    filled[name] = fillField(schema.properties?.get(name) ?? schema.additional, field, work);
  }
  for (const [name, { fallback }] of schema.properties ?? []) {
    if (!fallback || Object.hasOwn(filled, name)) continue;
    if (work.fill(name.length + fallback.bytes)) filled[name] = copyOf(fallback.value);
  }
  return filled;
}

function fillField(schema: Schema | undefined, value: unknown, work: Work): unknown {
  if (!schema) return value;
  if (value !== null || !schema.fallback || mayBeNull(schema)) return fillDefaults(schema, value, work);
  return work.fill(schema.fallback.bytes) ? copyOf(schema.fallback.value) : value;
}

const mayBeNull = (schema: Schema): boolean => schema.isNullable || (schema.types?.includes('null') ?? false);

const known = new WeakMap<Schema, boolean>();

/** Whether anything below can add something; most of a value needs no copy. */
function hasDefaults(schema: Schema): boolean {
  const earlier = known.get(schema);
  if (earlier !== undefined) return earlier;
  const found = innerOf(schema).some((one) => one.fallback !== undefined || hasDefaults(one));
  known.set(schema, found);
  return found;
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copyOf(field)]));
}
