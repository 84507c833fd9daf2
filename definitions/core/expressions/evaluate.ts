import { EvaluationError } from '@marcbachmann/cel-js';
import { quote } from '../quote.ts';
import type { JsonObject } from '../resource.ts';
import { compile, type Expression, unknownRoot } from './compile.ts';
import { missingIn, type Outcome } from './missing.ts';
import { sentenceOf } from './sentence.ts';
import type { Node } from './tree.ts';
import { bounds, type Filled, type ReadOptions, type Reference, type Scope } from './types.ts';
import { fromCel, lookUp, NotJson, partOf } from './values.ts';
import { workOf } from './work.ts';
import { written } from './written.ts';

/** Steps that are left for what is computed together. */
export interface Allowance {
  work: number;
}

/** Reads one CEL expression, with or without `${…}` around it, as conditions are written. Never throws. */
export function readExpression(
  text: string,
  { roots }: ReadOptions,
): { readonly references: readonly Reference[] } | { readonly problem: string } {
  const expression = compile(text);
  if (!('run' in expression)) return { problem: expression.problem };
  const problem = unknownRoot(expression.references, roots);
  return problem === undefined ? { references: expression.references } : { problem };
}

/**
 * Computes one expression, with or without `${…}` around it.
 *
 * Guarantees: never throws; takes tens of milliseconds at most, whatever the text and the values are (what would take longer
 * is a problem); `missing` names exactly the references that were needed and absent.
 */
export const evaluate = (text: string, scope: Scope): Filled<unknown> => evaluateWithin(text, scope, { work: bounds.work });

/** Computes a condition: anything but a boolean is a problem. */
export function test(text: string, scope: Scope): Filled<boolean> {
  const result = evaluate(text, scope);
  if (!('value' in result)) return result;
  if (typeof result.value === 'boolean') return { value: result.value };
  return { problem: `${quote(text)} must be true or false (got ${quote(result.value)})` };
}

/** The same for one of several expressions that share what they may cost. */
export function evaluateWithin(text: string, scope: Scope, allowance: Allowance): Filled<unknown> {
  const expression = compile(text);
  if (!('run' in expression)) return { problem: expression.problem };
  const { plain, references } = expression;
  const standIn = plain && scope.opaque?.(plain);
  if (standIn !== undefined) return { value: standIn };
  const problem = unknownRoot(references, Object.keys(scope.values)) ?? usedOpaque(references, scope);
  if (problem !== undefined) return { problem };
  return plain ? lookUp(scope.values, plain) : compute(expression, scope.values, allowance);
}

function usedOpaque(references: readonly Reference[], { opaque }: Scope): string | undefined {
  const used = opaque && references.find((reference) => opaque(reference) !== undefined);
  return used && `${written(used)} may stand alone or inside a text, but nothing can be computed from it`;
}

function compute(expression: Expression, values: JsonObject, allowance: Allowance): Filled<unknown> {
  const result = attempt(expression, values, allowance);
  if (!('absent' in result)) return result;
  const others = missingIn(expression, values, (text) => outcomeOf(text, values, allowance));
  return { missing: [...new Set([...others, result.absent])] };
}

/** Computes an expression until the first reference that it lacks. */
function attempt(
  expression: Expression,
  values: JsonObject,
  allowance: Allowance,
): { readonly value: unknown } | { readonly absent: Reference } | { readonly problem: string } {
  try {
    const context = partOf(values, expression.references);
    const work = workOf(expression.run.ast, expression, context);
    if (!(work <= allowance.work)) return { problem: `${quote(expression.text)} takes too long to compute with values of this size` };
    allowance.work -= work;
    return { value: fromCel(expression.run(context)) };
  } catch (error) {
    if (error instanceof NotJson) return { problem: `${quote(expression.text)} ${error.message}` };
    return lackOf(error, expression, values) ?? { problem: sentenceOf(error, expression.text) };
  }
}

/** Absence in the words of the library; `index_out_of_bounds` is one, because a list may still grow. */
const ABSENCE: ReadonlySet<string> = new Set(['no_such_key', 'unknown_variable', 'index_out_of_bounds']);

/** Reads a failure as absence, if it is one. */
function lackOf(
  error: unknown,
  { at, local }: Expression,
  values: JsonObject,
): { readonly absent: Reference } | { readonly problem: string } | undefined {
  if (!(error instanceof EvaluationError) || !ABSENCE.has(error.code)) return undefined;
  const node = error.node as Node | undefined;
  const reference = node && (at.get(node) ?? local.get(node));
  if (!reference || !mayAppear(error)) return undefined;
  const target = lookUp(values, reference);
  return 'problem' in target ? target : { absent: reference };
}

/** Not so a place before the first of a list, nor one between two. */
const mayAppear = ({ code, summary }: EvaluationError): boolean => code !== 'index_out_of_bounds' || /index \d+ >=/.test(summary);

function outcomeOf(text: string, values: JsonObject, allowance: Allowance): Outcome {
  const expression = compile(text);
  const result = 'run' in expression ? attempt(expression, values, allowance) : expression;
  if ('value' in result) return result;
  return 'absent' in result ? 'missing' : 'problem';
}
