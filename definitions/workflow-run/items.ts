import { quote } from '../core/quote.ts';
import type { JsonObject } from '../core/resource.ts';
import { loopPartOf } from '../flows/parts.ts';
import { MAX_STEPS, type StepSpec } from '../flows/schema.ts';
import type { Around } from './node.ts';
import { fill, type Settled } from './scope.ts';

/** What a loop goes over, one item for each iteration. */
export function itemsOf(step: StepSpec, around: Around): Settled<readonly unknown[]> {
  const filled = fill(loopPartOf(step), around);
  if ('problem' in filled) return filled;
  const { withItems, withParam, withSequence } = filled.value as JsonObject;
  const items = withSequence !== undefined ? sequence(withSequence as JsonObject) : list(withItems ?? withParam);
  if ('value' in items && items.value.length > MAX_STEPS) {
    return { problem: `the loop has ${items.value.length} items; at most ${MAX_STEPS} iterations are allowed` };
  }
  return items;
}

/** A list as it is, or as JSON text; nothing for an empty text, which is what a skipped step has said. */
function list(given: unknown): Settled<readonly unknown[]> {
  if (Array.isArray(given)) return { value: given };
  if (given === '') return { value: [] };
  const parsed = typeof given === 'string' ? parse(given) : given;
  return Array.isArray(parsed) ? { value: parsed } : { problem: `the loop needs a list, or a list as JSON text (got ${quote(given)})` };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sequence({ start: from, end: to, count, format }: JsonObject): Settled<readonly unknown[]> {
  const [start, end, total] = [from ?? 0, to, count].map(whole);
  if (start === undefined || (end === undefined && total === undefined)) {
    return {
      problem: `start, end and count of a sequence must be integers (got ${[from, to, count]
        .filter((one) => one !== undefined)
        .map(quote)
        .join(', ')})`,
    };
  }
  const length = total ?? Math.abs((end ?? start) - start) + 1;
  if (length < 0 || length > MAX_STEPS)
    return { problem: `the sequence has ${length} numbers; at most ${MAX_STEPS} iterations are allowed` };
  const pace = end !== undefined && end < start ? -1 : 1;
  const numbers = Array.from({ length }, (_, index) => start + index * pace);
  return { value: typeof format === 'string' ? numbers.map((number) => formatted(format, number)) : numbers };
}

function whole(given: unknown): number | undefined {
  const number = typeof given === 'string' && /^-?\d{1,15}$/.test(given) ? Number(given) : given;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** `%d`, `%03d`, `%x`, `%X`, and `%%` for a per cent sign. */
function formatted(format: string, number: number): string {
  return format.replace(/%(0?)(\d{0,2})([dxX%])/g, (_, zero: string, width: string, type: string) => {
    if (type === '%') return '%';
    const digits = type === 'd' ? String(number) : number.toString(16);
    return (type === 'X' ? digits.toUpperCase() : digits).padStart(Number(width), zero || ' ');
  });
}
