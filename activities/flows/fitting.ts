import { jsonBytes } from '../../definitions/core/json.ts';

/** What a run hands on of one step's answer, with room for the rest of it (see MAX_OUTPUT_BYTES of definitions/workflow-run). */
const MAX_BYTES = 28 * 1024;

/** As much of a text, from its start or its end, as fits into the answer of a step. Control characters take six times their size. */
export function fitting(text: string, side: 'start' | 'end', maxBytes = MAX_BYTES): string {
  const part = (length: number): string => (side === 'start' ? text.slice(0, length) : text.slice(text.length - length));
  if (jsonBytes(text) <= maxBytes) return text;
  let [fits, tooMuch] = [0, text.length];
  while (tooMuch - fits > 1) {
    const middle = Math.floor((fits + tooMuch) / 2);
    if (jsonBytes(part(middle)) <= maxBytes) fits = middle;
    else tooMuch = middle;
  }
  return part(fits);
}
