import type { JsonObject } from '../../../definitions/core/resource.ts';
import { UsageError } from '../usage-error.ts';
import { parsedValue } from './assignment.ts';

/** Reads `KEY=VALUE` words; a value is JSON and, when it is none or `isText` says so of its key, text. */
export function parsePairs(
  words: readonly string[] | undefined,
  option: string,
  isText: (key: string) => boolean = () => false,
): JsonObject {
  const pairs = (words ?? []).map((word) => {
    const at = word.indexOf('=');
    if (at <= 0) throw new UsageError(`${option} ${JSON.stringify(word)} is not KEY=VALUE`);
    const [key, text] = [word.slice(0, at), word.slice(at + 1)];
    return [key, isText(key) ? text : parsedValue(text)] as const;
  });
  const twice = pairs.find(([key], index) => pairs.findIndex(([other]) => other === key) !== index);
  if (twice) throw new UsageError(`${option} gives ${twice[0]} twice`);
  return Object.fromEntries(pairs);
}
