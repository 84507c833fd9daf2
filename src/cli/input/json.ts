import { type Parsed, tooLargeNumber } from './document.ts';

/** One top-level value of a text, and the first thing in it that JSON.parse would silently change. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly flaw?: { readonly at: number; readonly problem: string };
}

interface Level {
  readonly keys: Set<string>;
  readonly isObject: boolean;
  expectsKey: boolean;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** What JSON allows outside quotes; numbers loosely, so that a bad one is told as JSON's. */
const LITERAL = /^(?:true|false|null|[-+.]*\d[-+.\deE]*|[{}[\],:]|".*")$/s;

/**
 * True for text that begins like a JSON object or list and has no words without quotes: those only YAML's flow style has.
 * A file that is called JSON is never taken for YAML.
 */
export function looksLikeJson(file: string, text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  if (/\.json$/i.test(file)) return true;
  for (const [token] of text.matchAll(TOKEN)) if (!LITERAL.test(token)) return false;
  return true;
}

/** Cuts a stream of JSON values, as kubectl accepts it, into single ones. */
export function splitJson(text: string): readonly Span[] {
  const spans: Span[] = [];
  const levels: Level[] = [];
  let start = -1;
  let flaw: Span['flaw'];
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    if (start < 0) start = match.index;
    flaw ??= flawOf(token, match.index, levels.at(-1));
    track(token, levels);
    if (levels.length > 0) continue;
    spans.push({ start, end: match.index + token.length, ...(flaw ? { flaw } : {}) });
    start = -1;
    flaw = undefined;
  }
  if (start >= 0) spans.push({ start, end: text.length, ...(flaw ? { flaw } : {}) });
  return spans;
}

/** Parses one value; says the line of what is wrong, counted from 1. */
export function parseJson(text: string, { start, end, flaw }: Span): Parsed {
  try {
    const value: unknown = JSON.parse(text.slice(start, end));
    return flaw ? { problem: flaw.problem, line: lineAt(text, flaw.at) } : { value };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /at position (\d+)/.exec(message)?.[1];
    const line = lineAt(text, position === undefined ? end : start + Number(position));
    return { problem: `this is not JSON: ${message.replace(/ in JSON at position.*$/s, '').replace(/\s+/g, ' ')}`, line };
  }
}

export const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length;

function flawOf(token: string, at: number, level: Level | undefined): Span['flaw'] {
  if (token.startsWith('"') && level?.isObject && level.expectsKey) {
    const key = unquoted(token);
    if (level.keys.has(key)) return { at, problem: `the key ${JSON.stringify(key)} stands twice in one object` };
    level.keys.add(key);
  }
  if (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) {
    return { at, problem: tooLargeNumber(token) };
  }
  return undefined;
}

function track(token: string, levels: Level[]): void {
  const level = levels.at(-1);
  if (token === '{' || token === '[') levels.push({ keys: new Set(), isObject: token === '{', expectsKey: token === '{' });
  else if (token === '}' || token === ']') levels.pop();
  else if (level && token === ',') level.expectsKey = level.isObject;
  else if (level && token === ':') level.expectsKey = false;
}

function unquoted(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
