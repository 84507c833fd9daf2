import type { View } from './plan.ts';
import type { Failing, StepRetry } from './step.ts';

/** Failure types that say "not yet" rather than "broken": retried without being shown as a failure. */
const QUIET: readonly string[] = ['NotReady', 'Conflict'];
const QUIET_FLIGHT_MS = 10 * 60_000;
const MAX_QUIET_RETRY_MS = 30_000;
const ATTEMPTS_UNTIL_SHOWN = 3;

/** How long nothing may be heard of a step that says all the time that it is alive: then its process is gone, and another begins it anew. */
export const HEARTBEAT_MS = 5_000;

/** Failure types after which nobody knows how things stand. */
const BLIND: readonly string[] = ['ExecutorUnavailable', 'RuntimeUnreachable'];

export const isBlind = ({ reason }: Pick<Failing, 'reason'>): boolean => BLIND.includes(reason);

export const isQuiet = ({ reason }: Pick<Failing, 'reason'>): boolean => QUIET.includes(reason);

/** The last moment that a date can name: who is never tried again has one beyond it. */
const LAST_MS = 8.64e15;

/** True of a failure that nobody tries again by himself. */
export const isFinal = ({ retryAt }: Pick<Failing, 'retryAt'>): boolean => retryAt > LAST_MS;

/**
 * How often a step is tried before its failure lands in the state.
 *
 * Failed attempts are invisible to a workflow, so the third one lands and is shown. Once the failure is known to be a mere
 * wait, the next flight waits on the server, without writing history, and lands now and then so that it cannot hide anything.
 */
export function patience(
  view: Pick<View, 'failing' | 'tuning'>,
  about: string,
  key: string,
  startToCloseMs: number,
): { readonly retry: StepRetry; readonly scheduleToCloseMs?: number } {
  const failing = view.failing[about];
  const { firstRetryMs } = view.tuning;
  const isWaiting = failing !== undefined && failing.key === key && isQuiet(failing);
  if (!isWaiting)
    return { retry: { maximumAttempts: ATTEMPTS_UNTIL_SHOWN, initialIntervalMs: firstRetryMs, maximumIntervalMs: firstRetryMs * 4 } };
  return {
    retry: { maximumAttempts: 0, initialIntervalMs: firstRetryMs, maximumIntervalMs: MAX_QUIET_RETRY_MS },
    scheduleToCloseMs: QUIET_FLIGHT_MS + startToCloseMs,
  };
}
