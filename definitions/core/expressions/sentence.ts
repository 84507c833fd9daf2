import { TypeError as CheckError, EvaluationError, ParseError } from '@marcbachmann/cel-js';
import { quote, shorten } from '../quote.ts';
import { balanced } from './scan.ts';
import { bounds } from './types.ts';

const WORDS: Readonly<Record<string, string>> = { int: 'integer', double: 'number', bool: 'boolean', map: 'object', dyn: 'any value' };

/** The library's names of types in the words of JSON: `dyn<list<int>>` is a list. */
const inWords = (text: string): string =>
  text
    .replace(/\bdyn<([^<>]*(?:<.*>)?)>/g, '$1')
    .replace(/\b(list|map)<.*?>+/g, '$1')
    .replace(/\b(int|double|bool|map|dyn)\b(?!\()/g, (name) => WORDS[name] ?? name);

/** Says what the library found wrong, in one sentence that quotes the text as it was written. */
export function sentenceOf(error: unknown, text: string): string {
  if (error instanceof ParseError) return ofParse(error, text);
  if (error instanceof EvaluationError || error instanceof CheckError) return ofComputing(error, text);
  return `cannot compute ${quote(text)}`;
}

function ofParse({ code, summary, range }: ParseError, text: string): string {
  const start = range?.start ?? 0;
  if (code === 'limit_exceeded') return `${quote(text)} is too complex: write less into one expression`;
  if (text.startsWith('${')) return `cannot read ${quote(text)}: write one \${…} around the whole expression, or none`;
  if (text.trim() === '') return 'the expression is empty';
  if (code === 'invalid_macro_argument')
    return `cannot read ${quote(text)}: the first argument must be a new name such as x at character ${start + 1}`;
  if (/^(un)?expected_(token|character)$/.test(code)) {
    if (start >= text.length) return `cannot read ${quote(text)}: it ends too early`;
    const found = quote(text.slice(start, Math.max(start + 1, range?.end ?? 0)));
    return `cannot read ${quote(text)}: unexpected ${found} at character ${start + 1}`;
  }
  return `cannot read ${quote(text)}: ${plain(summary)} at character ${start + 1}`;
}

function ofComputing({ code, summary, node }: EvaluationError | CheckError, text: string): string {
  const place = quote(node ? balanced(text, node.range?.start ?? 0, node.range?.end ?? text.length) : text);
  const got = /got (.*)$/.exec(summary)?.[1]?.replaceAll("'", '') ?? '';
  switch (code) {
    case 'no_such_overload': {
      const operation = inWords(summary.replace('no such overload: ', ''));
      const hint = /\bstring \+|\+ string\b/.test(operation) ? '; string(…) makes a string of a number' : '';
      return `${operation} cannot be computed in ${place}${hint}`;
    }
    case 'no_matching_overload':
      return `${inWords(/'(.*)'/.exec(summary)?.[1] ?? 'this call')} cannot be computed in ${place}`;
    case 'invalid_logical_operand':
      return `&& and || take booleans in ${place} (got ${inWords(got)})`;
    case 'invalid_condition_type':
      return `a condition must be a boolean, but ${place} is not one (got ${inWords(got)})`;
    case 'incompatible_ternary_branches':
      return `both results of ?: must be of one type in ${place} (got ${inWords(got)}); dyn(…) lets them differ`;
    case 'invalid_comprehension_range':
      return `only lists and objects can be run over, but ${place} is neither`;
    case 'index_out_of_bounds':
      return `there is no such place in the list in ${place}`;
    case 'invalid_macro_argument':
      return `has(…) takes a field such as has(params.x), not ${place}`;
    default:
      return `${plain(inWords(summary))} in ${place}`;
  }
}

const plain = (summary: string): string => shorten(`${summary.charAt(0).toLowerCase()}${summary.slice(1)}`.replace(/\s+/g, ' '), 160);

export const tooLong = (text: string): string | undefined =>
  text.length > bounds.characters ? `the expression is too long: at most ${bounds.characters} characters (got ${text.length})` : undefined;
