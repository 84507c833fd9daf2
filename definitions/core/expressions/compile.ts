import type { ParseResult } from '@marcbachmann/cel-js';
import { listed, quote } from '../quote.ts';
import { type Analysis, analyse } from './analyse.ts';
import { bounded } from './bounded-cache.ts';
import { environment } from './environment.ts';
import { closingBrace, mask } from './scan.ts';
import { sentenceOf, tooLong } from './sentence.ts';
import { selection } from './tree.ts';
import { bounds, type Reference } from './types.ts';

/** An expression that was read and found good as far as that can be told without values. */
export interface Expression extends Analysis {
  readonly text: string;
  readonly run: ParseResult;
  /** The reference, when the expression is nothing else. */
  readonly plain: Reference | undefined;
}

/** Reads one expression, with or without `${…}` around it. Remembers what it has read. */
export function compile(text: string): Expression | { readonly problem: string } {
  const long = tooLong(text);
  return long === undefined ? remembered(text) : { problem: long };
}

const remembered = bounded(bounds.remembered, (text): Expression | { readonly problem: string } => {
  const inner = unwrapped(text);
  const masked = mask(inner);
  if (masked.comment !== undefined) return { problem: `cannot read ${quote(inner)}: comments (//) are not allowed in an expression` };
  try {
    const run = environment.parse(masked.text);
    const analysis = analyse(run.ast, masked.labels);
    if (analysis.problem !== undefined) return { problem: analysis.problem };
    const { error } = run.check();
    if (error) return { problem: sentenceOf(error, inner) };
    const reference = analysis.at.get(run.ast);
    const isPlain = reference?.length === selection(run.ast).length;
    return { ...analysis, text: inner, run, plain: isPlain ? reference : undefined };
  } catch (error) {
    return { problem: sentenceOf(error, inner) };
  }
});

/** Says which name at the beginning of a reference is not among those that are allowed. */
export function unknownRoot(references: readonly Reference[], roots: readonly string[]): string | undefined {
  const stray = references.find(([root]) => root === undefined || !roots.includes(root));
  return stray && `unknown name ${quote(stray[0])}; allowed: ${listed([...roots].sort())}`;
}

function unwrapped(text: string): string {
  const trimmed = text.trim();
  const isWrapped = trimmed.startsWith('${') && closingBrace(trimmed, 2) === trimmed.length - 1;
  return isWrapped ? trimmed.slice(2, -1) : text;
}
