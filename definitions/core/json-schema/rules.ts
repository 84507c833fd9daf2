import { z } from 'zod';
import { sentenceOf, unknownField } from '../issues/index.ts';
import { canonical } from '../json.ts';
import { quote } from '../quote.ts';
import { formatProblem } from './format.ts';
import type { Schema } from './schema.ts';
import { type Issues, refuse } from './verdict.ts';
import type { Work } from './work.ts';

type Check = (payload: z.core.ParsePayload) => void;

/** `enum` and `const`. Ends the check of this value: whoever chose a wrong word need not read what else it is not. */
export function among(values: readonly unknown[]): z.core.$ZodCheck<unknown> {
  const known = new Set(values.map(canonical));
  return z.check<unknown>(({ value, issues }) => {
    if (known.has(canonical(value))) return;
    const issue = { code: 'invalid_value' as const, values: values as z.core.util.Primitive[], path: [], input: value };
    issues.push({ ...issue, message: sentenceOf(issue) });
  });
}

/** Lengths (in characters, not in units of an encoding), format and pattern of a text. */
export function text({ minLength, maxLength, format, pattern }: Schema, work: Work): Check {
  return ({ value, issues }) => {
    if (typeof value !== 'string') return;
    between(issues, value, lengthOf(value, minLength, maxLength), [minLength, maxLength], 'character');
    const wanted = format === undefined ? undefined : formatProblem(format, value);
    if (wanted) refuse(issues, value, `must be ${wanted} (got ${quote(value)})`);
    if (pattern && work.pattern(pattern.size, value.length) && !pattern.test(value)) {
      refuse(issues, value, `must match the pattern ${quote(pattern.source)} (got ${quote(value)})`);
    }
  };
}

/** Number of items, and that they are told apart. */
export function items({ minItems, maxItems, isUnique, itemKeys }: Schema): Check {
  return ({ value, issues }) => {
    if (!Array.isArray(value)) return;
    between(issues, value, value.length, [minItems, maxItems], 'item');
    if (isUnique)
      repeated(
        value,
        (item) => item,
        (index, first) => refuse(issues, value, `is the same as item [${first}]; items must be unique`, [index]),
      );
    if (itemKeys) {
      const named = (item: unknown) => itemKeys.map((key) => (item as Record<string, unknown> | null)?.[key] ?? null);
      repeated(value, named, (index, first) => refuse(issues, value, `has the same ${itemKeys.join(' and ')} as item [${first}]`, [index]));
    }
  };
}

/** Required fields, their number, and for a branch that says so itself: no others. */
export function fields({ required, minProperties, maxProperties, isOpen, isBranch, properties }: Schema): Check {
  const known = [...(properties?.keys() ?? [])];
  const isClosed = isBranch && isOpen === false;
  return ({ value, issues }) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const name of required) {
      if (!Object.hasOwn(value, name)) refuse(issues, value, 'is required', [name]);
    }
    between(issues, value, Object.keys(value).length, [minProperties, maxProperties], 'field');
    if (!isClosed) return;
    for (const name of Object.keys(value)) {
      if (!properties?.has(name)) refuse(issues, value, unknownField(known), [name]);
    }
  };
}

function between(
  issues: Issues,
  value: unknown,
  size: number,
  [low, high]: readonly [number | undefined, number | undefined],
  noun: string,
): void {
  const count = (limit: number) => `${limit} ${noun}${limit === 1 ? '' : 's'} (has ${size})`;
  if (low !== undefined && size < low)
    refuse(issues, value, size === 0 && low === 1 ? 'must not be empty' : `must have at least ${count(low)}`);
  if (high !== undefined && size > high) refuse(issues, value, `must have at most ${count(high)}`);
}

/** Characters, not UTF-16 units; counted only when it can matter. */
function lengthOf(value: string, low = 0, high = Number.POSITIVE_INFINITY): number {
  if (value.length < low || (value.length <= high && value.length >= low * 2)) return value.length;
  let count = 0;
  for (const _character of value) count += 1;
  return count;
}

function repeated(list: readonly unknown[], keyOf: (item: unknown) => unknown, say: (index: number, first: number) => void): void {
  const seen = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const key = canonical(keyOf(item));
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else say(index, first);
  }
}
