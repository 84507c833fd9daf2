import { listed, quote } from '../quote.ts';
import { FUNCTIONS, LINEAR_MATCHES, METHODS, patternOf } from './environment.ts';
import { macroOf, type Node, operands, selection } from './tree.ts';
import type { Reference } from './types.ts';

/** What an expression refers to. */
export interface Analysis {
  readonly references: readonly Reference[];
  /** By every node of a selection that begins at a root, the whole reference. */
  readonly at: ReadonlyMap<Node, Reference>;
  /** By every node of a selection from something else (an element, the result of a method), the reference it comes from, if any. */
  readonly local: ReadonlyMap<Node, Reference | undefined>;
  readonly problem: string | undefined;
}

interface Walk {
  readonly labels: ReadonlyMap<number, string>;
  readonly at: Map<Node, Reference>;
  readonly local: Map<Node, Reference | undefined>;
  readonly found: Map<string, Reference>;
  problem: string | undefined;
}

type Locals = ReadonlyMap<string, Reference | undefined>;

/** Reads a parsed expression, and gives names of components, steps and functions in it their true form. */
export function analyse(tree: Node, labels: ReadonlyMap<number, string>): Analysis {
  const walk: Walk = { labels, at: new Map(), local: new Map(), found: new Map(), problem: undefined };
  visit(walk, tree, new Map());
  return { references: [...walk.found.values()], at: walk.at, local: walk.local, problem: walk.problem };
}

function visit(walk: Walk, node: Node, locals: Locals): void {
  if (node.op === 'id' || node.op === '.' || node.op === '[]') return select(walk, node, locals);
  if (node.op === 'value' && typeof node.args === 'object' && node.args !== null)
    walk.problem ??= 'bytes (b"…") and unsigned numbers (1u) are not supported';
  const macro = macroOf(node);
  if (macro) {
    visit(walk, macro.over, locals);
    const inner = new Map(locals).set(macro.element, originOf(walk, macro.over));
    for (const body of macro.bodies) visit(walk, body, inner);
    return;
  }
  if (node.op === 'call') checkName(walk, 'function', node.args[0], FUNCTIONS);
  if (node.op === 'rcall') {
    checkName(walk, 'method', node.args[0], METHODS);
    if (node.args[0] === 'matches') readPattern(walk, node);
  }
  for (const operand of operands(node)) visit(walk, operand, locals);
}

/** Patterns are written out, so that what they cost is known before they run. */
function readPattern(walk: Walk, node: Extract<Node, { readonly op: 'rcall' }>): void {
  const source = node.args[2][0];
  node.args[0] = LINEAR_MATCHES;
  if (source?.op !== 'value' || typeof source.args !== 'string') {
    walk.problem ??= 'the pattern of matches(…) must be written out as a string';
    return;
  }
  const pattern = patternOf(source.args);
  if ('problem' in pattern) walk.problem ??= `the pattern of matches(…) ${pattern.problem}`;
}

function select(walk: Walk, node: Node, locals: Locals): void {
  const [base, ...steps] = selection(node);
  const path: string[] = [];
  let open = true;
  for (const step of steps) {
    if (step.op === '.') step.args[1] = walk.labels.get(step.pos) ?? step.args[1];
    const field = fieldOf(step);
    if (field === undefined && step.op === '[]') visit(walk, step.args[1], locals);
    open &&= field !== undefined;
    if (open && field !== undefined) path.push(field);
  }
  if (base.op !== 'id') {
    visit(walk, base, locals);
    for (const step of steps) walk.local.set(step, originOf(walk, base));
    return;
  }
  if (locals.has(base.args)) {
    for (const each of [base, ...steps]) walk.local.set(each, locals.get(base.args));
    return;
  }
  const reference = [base.args, ...path];
  const key = JSON.stringify(reference);
  const known = walk.found.get(key) ?? reference;
  walk.found.set(key, known);
  for (const each of [base, ...steps]) walk.at.set(each, known);
}

function fieldOf(step: Node): string | undefined {
  if (step.op === '.') return step.args[1];
  if (step.op !== '[]') return undefined;
  const [, index] = step.args;
  return index.op === 'value' && typeof index.args === 'string' ? index.args : undefined;
}

function originOf(walk: Walk, node: Node): Reference | undefined {
  if (node.op === 'rcall') return originOf(walk, node.args[1]);
  return walk.at.get(node) ?? walk.local.get(node);
}

function checkName(walk: Walk, what: string, name: string, allowed: readonly string[]): void {
  if (!allowed.includes(name)) walk.problem ??= `unknown ${what} ${quote(name)}; allowed: ${listed(allowed)}`;
}
