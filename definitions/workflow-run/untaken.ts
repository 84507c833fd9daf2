import type { Tuning } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';

/** For how long a function may wait until an executor takes it, ms; undefined: for ever. */
export function waitMsOf({ functionSpec }: JsonObject): number | undefined {
  const seconds = Number((functionSpec as JsonObject | undefined)?.maxwaittime ?? -1);
  return seconds > 0 ? seconds * 1_000 : undefined;
}

interface Flight {
  /** How often it has flown before without a fault of its own. */
  readonly again: number;
  /** The flight before was one that nobody took. */
  readonly isAwaited: boolean;
}

/**
 * How long one flight waits for an executor. The first one is short, so that it is said soon when nobody is there; the next one waits
 * for what is left.
 */
export function untakenMsOf(waitMs: number | undefined, { again, isAwaited }: Flight, { scheduleToStartMs }: Tuning): number | undefined {
  if (waitMs === undefined) return isAwaited ? undefined : scheduleToStartMs;
  if (again === 0) return Math.min(waitMs, scheduleToStartMs);
  return isAwaited ? Math.max(1, waitMs - scheduleToStartMs) : waitMs;
}

/** Whether a flight that nobody took was the last one that may wait. */
export const wasLastWait = (waitMs: number | undefined, again: number, { scheduleToStartMs }: Tuning): boolean =>
  waitMs !== undefined && (again > 0 || waitMs <= scheduleToStartMs);
