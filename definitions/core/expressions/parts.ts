import { quote } from '../quote.ts';
import { closingBrace } from './scan.ts';
import { bounds } from './types.ts';

/** A text in parts: what stands as it is, and what is computed. */
export type Part = { readonly literal: string } | { readonly expression: string };

/** A place inside a JSON value. */
export type Path = readonly (string | number)[];

export const TOO_DEEP = `is nested too deeply: at most ${bounds.depth} levels`;
export const TOO_MANY = `holds too many expressions: at most ${bounds.expressions} in all`;

/** The fields of an object by their names, or the elements of a list by their indexes. */
export const fieldsOf = (value: object): readonly (readonly [string | number, unknown])[] =>
  Array.isArray(value) ? value.map((element, index) => [index, element] as const) : Object.entries(value);

/** Finds the `${…}` of a text; `$${` stands for a literal `${`. */
export function split(text: string): readonly Part[] | { readonly problem: string } {
  if (!text.includes('${')) return [{ literal: text }];
  const parts: Part[] = [];
  let literal = '';
  for (let index = 0; index < text.length; ) {
    const next = text.indexOf('$', index);
    literal += text.slice(index, next < 0 ? text.length : next);
    if (next < 0) break;
    if (text.startsWith('$${', next)) {
      literal += '${';
      index = next + 3;
    } else if (text.startsWith('${', next)) {
      const expression = expressionAt(text, next + 2);
      if (typeof expression !== 'string') return expression;
      if (literal !== '') parts.push({ literal });
      parts.push({ expression });
      literal = '';
      index = next + expression.length + 3;
    } else {
      literal += '$';
      index = next + 1;
    }
  }
  return literal === '' ? parts : [...parts, { literal }];
}

function expressionAt(text: string, start: number): string | { readonly problem: string } {
  const within = text.slice(start, start + bounds.characters + 1);
  const end = closingBrace(within, 0);
  if (end !== undefined) return within.slice(0, end);
  const begun = quote(text.slice(start - 2));
  if (text.length - start > bounds.characters)
    return { problem: `the expression that begins with ${begun} is too long: at most ${bounds.characters} characters` };
  return { problem: `the expression that begins with ${begun} is not closed by "}"; a literal "\${" is written "$\${"` };
}
