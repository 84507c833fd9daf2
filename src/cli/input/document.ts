import { limits } from '../../../definitions/core/limits.ts';

/** As admission words it: what is too deep to be read is too deep for every kind. */
export const TOO_DEEP = `is nested too deeply: at most ${limits.depth} levels`;

/** In JSON and YAML alike: it would be kept as another number than was written. */
export const tooLargeNumber = (written: string | undefined): string =>
  `the number ${written} is too large to be kept exactly: whole numbers are exact up to ${Number.MAX_SAFE_INTEGER}, a text of digits stands in quotation marks`;

/** One document of a file, read but not yet judged by any kind. */
export interface SourceDocument {
  /** As it is named in messages: a path, or `standard input`. */
  readonly file: string;
  /** Counted from 1 within the file. */
  readonly index: number;
  /** True when the file holds more than this one, so that messages name the number. */
  readonly numbered: boolean;
  /** `items[1].items[0]`, of an item of a List: paths begin there. */
  readonly item?: string;
  /** Reads the text once more to find lines; only whoever has something to complain of need pay for that. */
  readonly lines: () => Promise<LineOf>;
}

/** The line of the file, counted from 1, on which a path stands, or the nearest parent that does. */
export type LineOf = (path: string) => number | undefined;

/** An item of a List, as a document of its own. */
export function itemOf(source: SourceDocument, item: string): SourceDocument {
  const below = (path: string): string => (path === '' || path.startsWith('[') ? `${item}${path}` : `${item}.${path}`);
  return {
    ...source,
    item: source.item === undefined ? item : `${source.item}.${item}`,
    lines: async () => {
      const lineOf = await source.lines();
      return (path) => lineOf(below(path));
    },
  };
}

/** What a document holds, or why it cannot be read. */
export type Parsed = { readonly value: unknown } | { readonly problem: string; readonly line?: number };

/** `widgets.yaml, document 2, line 14, items[1]`. */
export function placeOf({ file, index, numbered, item }: SourceDocument, line?: number): string {
  const parts = [file, numbered && `document ${index}`, line !== undefined && `line ${line}`, item];
  return parts.filter(Boolean).join(', ');
}
