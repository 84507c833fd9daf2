import { pathOf } from '../path.ts';
import { quote } from '../quote.ts';
import { compile } from './compile.ts';
import { type Allowance, evaluateWithin } from './evaluate.ts';
import { fieldsOf, type Path, split, TOO_DEEP, TOO_MANY } from './parts.ts';
import { bounds, type Filled, type Reference, type Scope } from './types.ts';
import { extentOf, NotJson, toCel } from './values.ts';

/**
 * Computes the `${…}` in all strings of a JSON value. A string that is one expression takes the type of its value; in a
 * longer text strings stand as they are, numbers and booleans plainly, objects and lists as JSON, and null is missing.
 *
 * Guarantees: never throws; does not change the value, and gives back the very same one where there is nothing to fill.
 */
export function fillTemplate(value: unknown, scope: Scope): Filled<unknown> {
  const filling: Filling = { scope, work: bounds.work, expressions: bounds.expressions, inserted: bounds.inserted, missing: new Map() };
  try {
    const filled = fill(filling, value, []);
    return filling.missing.size > 0 ? { missing: [...filling.missing.values()] } : { value: filled };
  } catch (error) {
    if (error instanceof Unfillable) return { problem: error.message };
    throw error;
  }
}

/** What has been used up and found while one value is filled. */
interface Filling extends Allowance {
  readonly scope: Scope;
  readonly missing: Map<string, Reference>;
  expressions: number;
  inserted: number;
}

class Unfillable extends Error {
  constructor(path: Path, problem: string) {
    super(path.length === 0 ? problem : `${pathOf('', path)}: ${problem}`);
  }
}

function fill(filling: Filling, value: unknown, path: Path): unknown {
  if (typeof value === 'string') return fillText(filling, value, path);
  if (typeof value !== 'object' || value === null) return value;
  if (path.length > bounds.depth) throw new Unfillable(path, TOO_DEEP);
  const entries = fieldsOf(value).map(([key, field]) => [key, field, fill(filling, field, [...path, key])] as const);
  if (entries.every(([, before, after]) => Object.is(before, after))) return value;
  return Array.isArray(value) ? entries.map(([, , after]) => after) : Object.fromEntries(entries.map(([key, , after]) => [key, after]));
}

function fillText(filling: Filling, text: string, path: Path): unknown {
  const parts = split(text);
  if ('problem' in parts) throw new Unfillable(path, parts.problem);
  const isAlone = parts.length === 1;
  const values = parts.map((part) => {
    if ('literal' in part) return part.literal;
    const value = insert(filling, part.expression, path);
    if (value === null && !isAlone) lack(filling, part.expression, path);
    return isAlone || typeof value === 'string' ? value : JSON.stringify(value);
  });
  return isAlone ? values[0] : values.join('');
}

/** The value of one expression; undefined while it is missing. */
function insert(filling: Filling, text: string, path: Path): unknown {
  filling.expressions -= 1;
  if (filling.expressions < 0) throw new Unfillable(path, TOO_MANY);
  const result = evaluateWithin(text, filling.scope, filling);
  if ('problem' in result) throw new Unfillable(path, result.problem);
  if ('missing' in result) return note(filling, result.missing);
  filling.inserted -= sizeOf(result.value, path);
  if (filling.inserted < 0) throw new Unfillable(path, `is too large when filled: at most ${bounds.inserted} characters in all`);
  return result.value;
}

/** A null has no text: it counts as not known yet, or as a problem if nothing can make it known. */
function lack(filling: Filling, text: string, path: Path): void {
  const expression = compile(text);
  const references = 'run' in expression ? expression.references : [];
  if (references.length === 0) throw new Unfillable(path, `${quote(text)} is null and cannot stand inside a text`);
  note(filling, references);
}

function note(filling: Filling, references: readonly Reference[]): void {
  for (const reference of references) filling.missing.set(JSON.stringify(reference), reference);
}

function sizeOf(value: unknown, path: Path): number {
  try {
    return extentOf(toCel(value)).size;
  } catch (error) {
    if (error instanceof NotJson) throw new Unfillable(path, error.message);
    throw error;
  }
}
