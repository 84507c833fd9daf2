import { ColonyError } from '../client/errors.ts';
import { pause } from '../client/pause.ts';

const REFUSALS = new Set(['Conflict', 'Invalid', 'Deleting', 'NotFound', 'UnknownCommand']);
/** Refusals that do not go away: the question itself is wrong. */
const NEVER = new Set(['Invalid', 'UnknownCommand']);
const AGAIN_MS = 500;

/** The request is not (any more) as the caller believed; reading on is the answer, not trying again. */
export const isRefused = (error: unknown): error is ColonyError => error instanceof ColonyError && REFUSALS.has(error.code);

/** No time and no other request would bring a better answer. */
export const isHopeless = (error: unknown): error is ColonyError => error instanceof ColonyError && NEVER.has(error.code);

/** Calls until there is an answer or a refusal: an absent worker or Temporal is waited for. Gives up with the last error when the signal aborts. */
export async function ask<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (isRefused(error) || signal.aborted) throw error;
      await pause(AGAIN_MS, { signal });
      if (signal.aborted) throw error;
    }
  }
}
