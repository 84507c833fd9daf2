import { UsageError } from '../usage-error.ts';

/** A field and its new value; undefined takes it away. */
export interface Assignment {
  readonly path: string;
  readonly value: unknown;
}

/** Reads `spec.a=3`, `spec.note=hello` and `spec.note-`. */
export function parseAssignment(word: string): Assignment {
  const at = equalsOutsideBrackets(word);
  if (at > 0) return { path: word.slice(0, at), value: parsedValue(word.slice(at + 1)) };
  if (at < 0 && word.length > 1 && word.endsWith('-')) return { path: word.slice(0, -1), value: undefined };
  throw new UsageError(`${JSON.stringify(word)} is not PATH=VALUE`, 'Say spec.size=3 to set a field, spec.size- to take it away.');
}

/** JSON where it is JSON, else the text itself. */
export function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Keys in brackets may hold an equals sign: `metadata.labels["a=b"]=c`. */
function equalsOutsideBrackets(word: string): number {
  const inside = /^(?:[^=[]|\[[^\]]*\])*/.exec(word)?.[0].length ?? 0;
  return word[inside] === '=' ? inside : -1;
}
