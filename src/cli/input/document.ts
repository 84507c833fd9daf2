import { limits } from '../../../definitions/core/limits.ts';

/** As admission words it: what is too deep to be read is too deep for every kind. */
export const TOO_DEEP = `is nested too deeply: at most ${limits.depth} levels`;

/** One document of a file, read but not yet judged by any kind. */
export interface SourceDocument {
  /** As it is named in messages: a path, or `standard input`. */
  readonly file: string;
  /** Counted from 1 within the file. */
  readonly index: number;
  /** True when the file holds more than this one, so that messages name the number. */
  readonly numbered: boolean;
  /** The document's own text, for finding lines. */
  readonly text: string;
  /** Lines of the file before `text`. */
  readonly lineOffset: number;
}

/** What a document holds, or why it cannot be read. */
export type Parsed = { readonly value: unknown } | { readonly problem: string; readonly line?: number };

/** `widgets.yaml, document 2, line 14`. */
export function placeOf({ file, index, numbered }: SourceDocument, line?: number): string {
  return [file, ...(numbered ? [`document ${index}`] : []), ...(line === undefined ? [] : [`line ${line}`])].join(', ');
}
