import { RE2JS } from 're2js';
import { limits } from '../limits.ts';
import { quote } from '../quote.ts';

/** A regular expression that takes time in proportion to the text, whatever it says. */
export interface Pattern {
  readonly source: string;
  /** A measure of what one character costs. */
  readonly size: number;
  /** Found anywhere in the text, as JSON Schema means it; `^` and `$` anchor. */
  readonly test: (text: string) => boolean;
}

/**
 * Compiles a pattern of a schema with RE2, or says why that cannot be.
 *
 * RE2 has no look-around and no back-references: those are what makes other engines hang. What only JavaScript writes
 * differently (`\u00e9`) is translated.
 */
export function compilePattern(source: string): Pattern | { readonly problem: string } {
  if (source.length > limits.patternChars) return { problem: `is too long: at most ${limits.patternChars} characters` };
  const compiled = compile(source) ?? compile(translated(source));
  if (!compiled)
    return { problem: `is not a regular expression of RE2 syntax, which has no look-around and no back-references (got ${quote(source)})` };
  return { source, size: compiled.programSize(), test: (text) => compiled.test(text) };
}

function compile(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source);
  } catch {
    return undefined;
  }
}

function translated(source: string): string {
  try {
    return RE2JS.translateRegExp(source);
  } catch {
    return source;
  }
}
