import type { JsonObject } from '../resource.ts';
import type { Expression } from './compile.ts';
import { balanced } from './scan.ts';
import { macroOf, type Node, operands, selection } from './tree.ts';
import type { Reference } from './types.ts';
import { lookUp } from './values.ts';

/** How a part of an expression came out. */
export type Outcome = { readonly value: unknown } | 'missing' | 'problem';

interface Search {
  readonly expression: Expression;
  readonly values: JsonObject;
  readonly compute: (text: string) => Outcome;
}

/**
 * Which references an expression lacks that could not be computed for want of some: all of them, but not those that it
 * did not need, because a condition decided without them.
 */
export function missingIn(expression: Expression, values: JsonObject, compute: (text: string) => Outcome): readonly Reference[] {
  return [...new Set(search({ expression, values, compute }, expression.run.ast))];
}

/** What a part lacks: empty when it can be computed, or when its failure has another cause. */
function search(found: Search, node: Node): readonly Reference[] {
  const reference = found.expression.at.get(node);
  if (reference) return inSelection(found, node, reference);
  if (node.op === 'call' && node.args[0] === 'has') return inHas(found, node);
  if (node.op === '?:') return inChoice(found, node);
  if (node.op === '&&' || node.op === '||') return inLogic(found, node);
  const macro = macroOf(node);
  if (!macro) return operands(node).flatMap((each) => search(found, each));
  const over = search(found, macro.over);
  return over.length > 0
    ? over
    : onlyIfMissing(
        found,
        node,
        macro.bodies.flatMap((body) => everyAbsent(found, body)),
      );
}

function inSelection(found: Search, node: Node, reference: Reference): readonly Reference[] {
  const indexes = selection(node).flatMap((step) => (step.op === '[]' ? [step.args[1]] : []));
  const lacking = [...absent(found, reference, 0), ...indexes.flatMap((index) => search(found, index))];
  return lacking.length > 0 || indexes.length === 0 ? lacking : onlyIfMissing(found, node, [reference]);
}

/** Lacks what both sides lack, unless one side is there and decides alone. */
function inLogic(found: Search, node: Extract<Node, { readonly op: '&&' | '||' }>): readonly Reference[] {
  const [left, right] = node.args;
  const [lackingLeft, lackingRight] = [search(found, left), search(found, right)];
  const lacking = [...lackingLeft, ...lackingRight];
  if (lackingLeft.length === 0 && lackingRight.length === 0) return [];
  if (lackingLeft.length > 0 && lackingRight.length > 0) return lacking;
  const outcome = found.compute(textOf(found, lackingLeft.length > 0 ? right : left));
  const isOpen = typeof outcome !== 'string' && outcome.value === (node.op === '&&');
  return isOpen ? lacking : [];
}

function inHas(found: Search, node: Node): readonly Reference[] {
  return operands(node).flatMap((field) => {
    const reference = found.expression.at.get(field);
    return reference ? absent(found, reference, 1) : [];
  });
}

function inChoice(found: Search, node: Extract<Node, { readonly op: '?:' }>): readonly Reference[] {
  const [condition, then, otherwise] = node.args;
  const before = search(found, condition);
  if (before.length > 0) return before;
  const outcome = found.compute(textOf(found, condition));
  if (typeof outcome === 'string') return [];
  return search(found, outcome.value === true ? then : otherwise);
}

const onlyIfMissing = (found: Search, node: Node, candidates: readonly Reference[]): readonly Reference[] =>
  candidates.length > 0 && found.compute(textOf(found, node)) === 'missing' ? candidates : [];

/** Inside the body of a run over a list nothing can be computed by itself: the element's name means nothing there. */
function everyAbsent(found: Search, node: Node): readonly Reference[] {
  const reference = found.expression.at.get(node);
  return reference ? absent(found, reference, 0) : operands(node).flatMap((each) => everyAbsent(found, each));
}

/** A reference, if it cannot be followed to its end, or to so many fields before that. */
const absent = ({ values }: Search, reference: Reference, before: number): readonly Reference[] =>
  'missing' in lookUp(values, reference.slice(0, reference.length - before)) ? [reference] : [];

const textOf = ({ expression }: Search, { start, end }: Node): string => balanced(expression.text, start, end);
