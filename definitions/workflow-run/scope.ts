import { type Filled, fillTemplate, type Reference, readExpression, readTemplate, type Scope, test } from '../core/expressions/index.ts';
import type { JsonObject } from '../core/resource.ts';
import { LOOP_ROOTS, ROOTS } from '../flows/parts.ts';
import { type Around, hasEnded, type Node } from './node.ts';

/** A value with all its templates filled, or why that cannot be. */
export type Settled<T> = { readonly value: T } | { readonly problem: string };

const KNOWN = { roots: [...ROOTS, ...LOOP_ROOTS, 'result', 'outputs'] };
/** Each turn fills at least one more blank. */
const MAX_TURNS = 100;

/** Fills a template with what is known around a step; what a step without success has not said is empty. */
export function fill(value: unknown, around: Around, more: JsonObject = {}): Settled<unknown> {
  const { references } = readTemplate(value, KNOWN);
  return settled(references, around, more, (scope) => fillTemplate(value, scope));
}

/** Tests a condition in the same way. */
export function holds(text: string, around: Around, more: JsonObject = {}): Settled<boolean> {
  const read = readExpression(text, KNOWN);
  return settled('references' in read ? read.references : [], around, more, (scope) => test(text, scope));
}

function settled<T>(references: readonly Reference[], around: Around, more: JsonObject, compute: (scope: Scope) => Filled<T>): Settled<T> {
  let values = valuesOf(references, around, more);
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const result = compute({ values });
    if (!('missing' in result)) return result;
    const lost = result.missing.find((reference) => !isSilent(reference, around));
    if (lost) return { problem: `${lost.join('.')} has no value` };
    for (const reference of result.missing) values = withBlank(values, reference);
  }
  return { problem: 'speaks of too many values that are missing' };
}

/** Only the steps that are spoken of: a scope is made for every step that starts. */
function valuesOf(references: readonly Reference[], { params, run, find, iteration, more: own }: Around, more: JsonObject): JsonObject {
  const names = new Set(references.flatMap(([root, name]) => (root === 'steps' && name !== undefined ? [name] : [])));
  const steps = Object.fromEntries([...names].map((name) => [name, said(find(name))]));
  return { params, run, steps, ...iteration, ...own, ...more };
}

const said = (node: Node | undefined): JsonObject =>
  node ? { outputs: node.outputs ?? {}, status: node.phase, message: node.message ?? '' } : {};

/** Outputs of what was skipped, or has failed, stand for an empty text. */
function isSilent([root, name]: Reference, { find }: Around): boolean {
  const node = root === 'steps' && name !== undefined ? find(name) : undefined;
  return node !== undefined && hasEnded(node) && node.phase !== 'Succeeded';
}

function withBlank(values: JsonObject, [first, ...rest]: Reference): JsonObject {
  if (first === undefined) return values;
  const inner = values[first];
  const fields = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as JsonObject) : {};
  return { ...values, [first]: rest.length === 0 ? '' : withBlank(fields, rest) };
}
