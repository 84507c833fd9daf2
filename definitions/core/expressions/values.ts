import { quote } from '../quote.ts';
import type { JsonObject } from '../resource.ts';
import { bounds, type Filled, type Reference } from './types.ts';
import { written } from './written.ts';

/** Finds what a reference refers to; what is absent or null is missing. */
export function lookUp(values: JsonObject, reference: Reference): Filled<unknown> {
  let value: unknown = values;
  for (const [index, field] of reference.entries()) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { problem: `${written(reference.slice(0, index))} is ${typeName(value)} and has no field ${quote(field)}` };
    value = Object.hasOwn(value, field) ? (value as JsonObject)[field] : undefined;
    if (value === undefined || value === null) return { missing: [reference] };
  }
  return { value };
}

/** What a value is called in a sentence. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Something that cannot pass between JSON and CEL. */
export class NotJson extends Error {}

/** How large a value is, for the bound of what computing with it costs. */
export interface Extent {
  /** Characters, about. */
  readonly size: number;
  /** Elements or fields. */
  readonly count: number;
  /** The size of the largest element or field. */
  readonly item: number;
}

/**
 * Turns JSON into values of CEL: whole numbers become integers; objects become maps, which no field name can confuse;
 * fields that are null are left out, so that `has` is false for them.
 */
export function toCel(value: unknown, depth = 0): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > bounds.depth) throw new NotJson(`uses a value that is nested too deeply: at most ${bounds.depth} levels`);
  if (Array.isArray(value)) return value.map((each) => toCel(each, depth + 1));
  const fields = Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
  return new Map(fields.map(([key, field]) => [key, toCel(field, depth + 1)]));
}

/** The part of the values that references lead to, in CEL: what an expression does not use costs nothing. */
export function partOf(values: JsonObject, references: readonly Reference[]): ReadonlyMap<string, unknown> {
  const part = select(values, references, 0);
  return part instanceof Map ? part : new Map();
}

function select(value: unknown, references: readonly Reference[], depth: number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return toCel(value, depth);
  if (references.some((reference) => reference.length === depth)) return toCel(value, depth);
  const fields = new Set(references.flatMap((reference) => reference[depth] ?? []));
  const present = [...fields].filter((field) => Object.hasOwn(value, field) && ((value as JsonObject)[field] ?? null) !== null);
  return new Map(
    present.map((field) => {
      const further = references.filter((reference) => reference[depth] === field);
      return [field, select((value as JsonObject)[field], further, depth + 1)];
    }),
  );
}

/** Turns a computed value into JSON, or throws `NotJson`. */
export function fromCel(value: unknown): unknown {
  switch (typeof value) {
    case 'bigint': {
      const number = Number(value);
      if (!Number.isSafeInteger(number)) throw new NotJson('is a whole number beyond those that JSON carries exactly');
      return number;
    }
    case 'number':
      if (!Number.isFinite(value)) throw new NotJson('is not a finite number');
      return value + 0; // JSON has no negative zero
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return value.map(fromCel);
      return Object.fromEntries((value instanceof Map ? [...value] : Object.entries(value)).map(([key, field]) => [key, fromCel(field)]));
    case 'string':
    case 'boolean':
      return value;
    default:
      throw new NotJson('is not a value of JSON');
  }
}

/** Measures what a reference leads to. */
export function extentAt(part: ReadonlyMap<string, unknown>, reference: Reference): Extent {
  let value: unknown = part;
  for (const field of reference) value = value instanceof Map ? value.get(field) : undefined;
  return extentOf(value);
}

/** Measures a value of CEL. */
export function extentOf(value: unknown): Extent {
  if (typeof value === 'string') return { size: value.length + 1, count: value.length, item: 1 };
  if (!Array.isArray(value) && !(value instanceof Map)) return { size: 1, count: 0, item: 0 };
  let size = 1;
  let item = 0;
  for (const [key, field] of value.entries()) {
    const each = Math.max(extentOf(field).size, typeof key === 'string' ? key.length + 1 : 0);
    size += each + (typeof key === 'string' ? key.length + 1 : 0);
    item = Math.max(item, each);
  }
  return { size, count: Array.isArray(value) ? value.length : value.size, item };
}
