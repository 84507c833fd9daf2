import type { Analysis } from './analyse.ts';
import { LINEAR_MATCHES, patternOf } from './environment.ts';
import { macroOf, type Node, operands, selection } from './tree.ts';
import type { Reference } from './types.ts';
import { type Extent, extentAt, extentOf } from './values.ts';

interface Estimate extends Extent {
  /** Elementary steps. */
  readonly work: number;
}

interface Known {
  readonly analysis: Analysis;
  readonly extents: ReadonlyMap<Reference, Extent>;
  /** The extents of elements, by their names. */
  readonly elements: ReadonlyMap<string, Extent>;
}

const NOTHING: Extent = { size: 1, count: 0, item: 0 };
/** The calls whose result may be large; the others answer with a number or a boolean. */
const GROWING: ReadonlySet<string> = new Set(['dyn', 'join', 'lowerAscii', 'split', 'string', 'substring', 'trim', 'upperAscii']);
/** Characters of the longest number as text. */
const DIGITS = 25;

/**
 * An upper bound of the steps that an expression takes, with the copying of its values and its result, from their sizes.
 *
 * Guarantees: grows with every list that is run over, so nested runs over long lists are refused before they begin.
 */
export function workOf(tree: Node, analysis: Analysis, values: ReadonlyMap<string, unknown>): number {
  const extents = new Map(analysis.references.map((reference) => [reference, extentAt(values, reference)]));
  const { work, size } = estimate(tree, { analysis, extents, elements: new Map() });
  return sum([...extents.values()].map((extent) => extent.size)) + work + size;
}

function estimate(node: Node, known: Known): Estimate {
  if (node.op === 'id' || node.op === '.' || node.op === '[]') return ofSelection(node, known);
  if (node.op === 'value') return { work: 1, ...extentOf(node.args) };
  if (macroOf(node)) return ofMacro(node, known);
  const parts = operands(node).map((each) => estimate(each, known));
  const work = 1 + sum(parts.map((each) => each.work));
  const size = sum(parts.map((each) => each.size));
  const [left = { work: 0, ...NOTHING }, right = { work: 0, ...NOTHING }] = parts;
  switch (node.op) {
    case 'list':
    case 'map':
      return { work, size: size + 1, count: parts.length, item: most(parts.map((each) => each.size)) };
    case '?:':
      return {
        work,
        size: most(parts.map((each) => each.size)),
        count: most(parts.map((each) => each.count)),
        item: most(parts.map((each) => each.item)),
      };
    case '+':
      return { work: work + size, size, count: left.count + right.count, item: Math.max(left.item, right.item) };
    case 'in':
      return { ...NOTHING, work: work + right.count * (1 + Math.min(left.size, right.item)) };
    case 'call':
    case 'rcall':
      return ofCall(node, parts, work, size);
    default:
      return { ...NOTHING, work: work + Math.min(left.size, right.size) };
  }
}

function ofSelection(node: Node, known: Known): Estimate {
  const [base, ...steps] = selection(node);
  const reference = known.analysis.at.get(node);
  const indexes = steps.flatMap((step) => (step.op === '[]' ? [estimate(step.args[1], known).work] : []));
  const work = 1 + steps.length + sum(indexes);
  if (reference) return { ...(known.extents.get(reference) ?? NOTHING), work };
  const element = base.op === 'id' ? known.elements.get(base.args) : undefined;
  const whole = element ? { ...element, work: 0 } : estimate(base, known);
  const { size } = whole;
  return { ...whole, ...(steps.length > 0 && { size, count: size, item: size }), work: work + whole.work };
}

function ofMacro(node: Node, known: Known): Estimate {
  const { name, over, element, bodies } = macroOf(node)!;
  const list = estimate(over, known);
  const each: Extent = { size: list.item, count: list.item, item: list.item };
  const inner: Known = { ...known, elements: new Map(known.elements).set(element, each) };
  const parts = bodies.map((body) => estimate(body, inner));
  const work = list.work + list.count * (2 + sum(parts.map((part) => part.work)));
  if (name === 'filter') return { ...list, work };
  if (name !== 'map') return { ...NOTHING, work };
  const item = parts.at(-1)?.size ?? 1;
  return { work, size: 1 + list.count * item, count: list.count, item };
}

function ofCall(
  node: Extract<Node, { readonly op: 'call' | 'rcall' }>,
  parts: readonly Estimate[],
  before: number,
  size: number,
): Estimate {
  const [text = NOTHING, separator = NOTHING] = parts;
  const pattern = node.op === 'rcall' && node.args[0] === LINEAR_MATCHES ? node.args[2][0] : undefined;
  const compiled = pattern && patternOf(String(pattern.args));
  const perCharacter = compiled && 'size' in compiled ? compiled.size : 1;
  const steps = before + size * perCharacter;
  if (!GROWING.has(node.args[0])) return { ...NOTHING, work: steps };
  const joined = node.args[0] === 'join' ? text.count * separator.size : 0;
  // Upper case may be three times as long ("ﬃ"), and splitting makes an element of every character.
  const all = 3 * size + joined + DIGITS;
  return { work: steps + joined, size: all, count: all, item: all };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const most = (numbers: readonly number[]): number => numbers.reduce((largest, each) => Math.max(largest, each), 0);
