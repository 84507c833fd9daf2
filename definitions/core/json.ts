import type { Issue } from './kind.ts';
import { limits } from './limits.ts';
import { pathOf } from './path.ts';
import { quote, shorten } from './quote.ts';
import { textBytes } from './replayed/bytes.ts';

export { jsonBytes } from './replayed/bytes.ts';
export { canonical } from './replayed/canonical.ts';

/** How much of a value is read before it is refused. */
export interface JsonBounds {
  readonly bytes: number;
  readonly depth: number;
}

const MANIFEST_BOUNDS: JsonBounds = { bytes: limits.manifestBytes, depth: limits.depth };
const MAX_PROBLEMS = 50;

/** Something that is not JSON, or too much of it. */
export interface JsonProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface Walk {
  readonly bounds: JsonBounds;
  readonly path: (string | number)[];
  readonly problems: JsonProblem[];
  bytes: number;
}

/**
 * Copies any JavaScript value into plain JSON, or says what in it is not JSON, too deep or too much.
 *
 * Guarantees: never throws and never hangs, whatever comes (cycles, proxies, getters, shared references that unfold without
 * end); the copy holds no `__proto__` key, so that code that merges objects cannot be tricked by it. Fields that are
 * undefined are left out.
 */
export function readJson(
  input: unknown,
  bounds: JsonBounds = MANIFEST_BOUNDS,
): { readonly problems: readonly JsonProblem[] } | { readonly value: unknown } {
  const walk: Walk = { bounds, path: [], problems: [], bytes: 0 };
  let value: unknown;
  try {
    value = copy(walk, input);
  } catch (error) {
    return { problems: [{ path: walk.path, message: `cannot be read (${reasonOf(error)})` }] };
  }
  if (walk.bytes > bounds.bytes) walk.problems.push({ path: [], message: `is too large: at most ${bounds.bytes} bytes of JSON` });
  return walk.problems.length > 0 ? { problems: walk.problems } : { value };
}

/** The same problems as people read them, with their paths below a root; the whole of what has no root is the manifest. */
export const jsonIssues = (problems: readonly JsonProblem[], root: string): readonly Issue[] =>
  problems.map(({ path, message }) => ({ path: pathOf(root, path) || 'manifest', message }));

function copy(walk: Walk, value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      // Measured by length first: a text that is far too long is not worth encoding.
      walk.bytes += value.length > walk.bounds.bytes ? value.length : textBytes(JSON.stringify(value));
      return value;
    case 'boolean':
      walk.bytes += 5;
      return value;
    case 'number':
      walk.bytes += String(value).length;
      return Number.isFinite(value) ? value : refuse(walk, `must be a finite number (got ${value})`);
    case 'object':
      if (value !== null) return copyNested(walk, value);
      walk.bytes += 4;
      return null;
    default:
      return refuse(walk, `must be plain JSON (got ${quote(value)})`);
  }
}

function copyNested(walk: Walk, value: object): unknown {
  walk.bytes += 2;
  if (walk.path.length >= walk.bounds.depth) return refuse(walk, `is nested too deeply: at most ${walk.bounds.depth} levels`);
  if (Array.isArray(value)) return copyList(walk, value);
  const type = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (type !== 'Object') return refuse(walk, `must be plain JSON (got a ${shorten(type)})`);
  return copyObject(walk, value as Record<string, unknown>);
}

function copyList(walk: Walk, list: readonly unknown[]): unknown[] {
  const result: unknown[] = [];
  for (let index = 0; index < list.length && isOpen(walk); index += 1) {
    walk.bytes += 1;
    walk.path.push(index);
    result.push(copy(walk, list[index]));
    walk.path.pop();
  }
  return result;
}

function copyObject(walk: Walk, object: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    if (!isOpen(walk)) break;
    const field = object[key];
    if (field === undefined) continue;
    walk.path.push(key);
    walk.bytes += key.length > walk.bounds.bytes ? key.length : textBytes(JSON.stringify(key)) + 2;
    if (key === '__proto__') refuse(walk, 'is not a name that a field may have');
    else result[key] = copy(walk, field);
    walk.path.pop();
  }
  return result;
}

const isOpen = (walk: Walk): boolean => walk.bytes <= walk.bounds.bytes && walk.problems.length < MAX_PROBLEMS;

function refuse(walk: Walk, message: string): undefined {
  walk.problems.push({ path: [...walk.path], message });
  return undefined;
}

function reasonOf(error: unknown): string {
  try {
    return quote(error instanceof Error ? error.message : error);
  } catch {
    return 'unknown reason';
  }
}
