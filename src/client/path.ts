import type { JsonObject } from '../../definitions/core/resource.ts';
import { InvalidError } from './errors.ts';

/** A key of an object, or an index of an array. */
export type Segment = string | number;

const MAX_SEGMENTS = 64;
const PLAIN = /^(?:\\.|[^.[\]\\])+/;
const INDEX = /^\[(\d{1,9})\]/;
const QUOTED = /^\[("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]/;

/**
 * Reads `spec.ports[0].name`, `metadata.labels["example.com/team"]` and kubectl's `a\.b` into segments.
 *
 * Throws InvalidError for what it cannot read.
 */
export function parsePath(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  let rest = text.startsWith('.') ? text.slice(1) : text;
  while (rest !== '') {
    const plain = PLAIN.exec(rest);
    const index = INDEX.exec(rest);
    const quoted = QUOTED.exec(rest);
    const found = plain ?? index ?? quoted;
    if (!found || segments.length === MAX_SEGMENTS) throw unreadable(text);
    if (plain) segments.push(plain[0].replace(/\\(.)/g, '$1'));
    else if (index) segments.push(Number(index[1]));
    else segments.push(quoted![1]!.slice(1, -1).replace(/\\(.)/g, '$1'));
    rest = rest.slice(found[0].length);
    if (rest.startsWith('.')) {
      rest = rest.slice(1);
      if (rest === '' || rest.startsWith('[')) throw unreadable(text);
    } else if (rest !== '' && !rest.startsWith('[')) {
      throw unreadable(text);
    }
  }
  if (segments.length === 0) throw unreadable(text);
  return segments;
}

/** Writes segments back the way a person reads them. */
export function pathText(segments: readonly Segment[]): string {
  return segments
    .map((segment, i) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (/[.[\]\\"']/.test(segment) || segment === '') return `[${JSON.stringify(segment)}]`;
      return i === 0 ? segment : `.${segment}`;
    })
    .join('');
}

/**
 * A copy of `root` with the value at the path; `undefined` takes the field away.
 *
 * Guarantees: the root is not changed; missing objects and arrays on the way are made; an array grows by one at its end and not
 * further; a value that is neither object nor array is never stepped into. Throws InvalidError.
 */
export function setAt(root: JsonObject, segments: readonly Segment[], value: unknown): JsonObject {
  return place(root, segments, 0, value) as JsonObject;
}

function place(current: unknown, segments: readonly Segment[], depth: number, value: unknown): unknown {
  const segment = segments[depth];
  if (segment === undefined) return value;
  return typeof segment === 'number'
    ? placeInArray(current, segment, segments, depth, value)
    : placeInObject(current, segment, segments, depth, value);
}

function placeInArray(current: unknown, index: number, segments: readonly Segment[], depth: number, value: unknown): unknown {
  const array: readonly unknown[] =
    current === undefined || current === null ? [] : Array.isArray(current) ? current : refuse(segments, depth, 'is not an array');
  if (index > array.length) refuse(segments, depth, `has ${array.length} items; the next index is ${array.length}`);
  const placed = place(array[index], segments, depth + 1, value);
  return placed === undefined ? array.filter((_, i) => i !== index) : [...array.slice(0, index), placed, ...array.slice(index + 1)];
}

function placeInObject(current: unknown, key: string, segments: readonly Segment[], depth: number, value: unknown): unknown {
  if (current !== undefined && current !== null && (typeof current !== 'object' || Array.isArray(current)))
    refuse(segments, depth, 'is not an object');
  const object = (current ?? {}) as JsonObject;
  const placed = place(Object.hasOwn(object, key) ? object[key] : undefined, segments, depth + 1, value);
  const { [key]: _, ...others } = object;
  return placed === undefined ? others : { ...object, [key]: placed };
}

function refuse(segments: readonly Segment[], depth: number, message: string): never {
  throw new InvalidError([{ path: pathText(segments.slice(0, depth)), message }]);
}

const unreadable = (text: string): InvalidError =>
  new InvalidError([{ path: text, message: 'is not a path; write spec.a.b, spec.list[0] or spec["a.b"]' }]);
