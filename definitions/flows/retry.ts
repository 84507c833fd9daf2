import { msOf } from './duration.ts';
import type { Retry } from './schema.ts';

/** How often a step is tried, and how long it rests in between. */
export interface RetryPolicy {
  /** With the first; Infinity: without end. */
  readonly maxAttempts: number;
  readonly restMs: (failures: number) => number;
}

const DEFAULT_ATTEMPTS = 3;
const FIXED_MS = 10_000;
const MAX_REST_MS = 5 * 60_000;

/** Of the step itself, else of its function, else of the whole flow; else it is tried once. */
export function policyOf(
  own: Retry | undefined,
  maxretries: number | undefined,
  ofFlow: Retry | undefined,
  firstRetryMs: number,
): RetryPolicy {
  const given = own ?? (maxretries === undefined ? ofFlow : undefined);
  const restMs = restOf(given?.backoff ?? ofFlow?.backoff, firstRetryMs);
  if (given) return { maxAttempts: given.maxAttempts ?? DEFAULT_ATTEMPTS, restMs };
  if (maxretries === undefined) return { maxAttempts: 1, restMs };
  return { maxAttempts: maxretries < 0 ? Number.POSITIVE_INFINITY : maxretries + 1, restMs };
}

function restOf(backoff: Retry['backoff'], firstRetryMs: number): RetryPolicy['restMs'] {
  if (backoff === undefined || backoff === 'exponential') return growing(firstRetryMs, 2, MAX_REST_MS);
  if (backoff === 'fixed') return () => FIXED_MS;
  if (typeof backoff !== 'object') return () => msOf(backoff) ?? firstRetryMs;
  const initial = msOf(backoff.initial ?? backoff.duration) ?? firstRetryMs;
  return growing(initial, backoff.factor ?? 2, msOf(backoff.max) ?? Math.max(initial, MAX_REST_MS));
}

const growing =
  (initial: number, factor: number, max: number): RetryPolicy['restMs'] =>
  (failures) =>
    Math.round(Math.min(max, initial * factor ** Math.min(failures - 1, 50)));
