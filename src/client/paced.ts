import { pause } from './pause.ts';

const FIRST_MS = 20;
const SLOW_AFTER_MS = 60_000;

/**
 * When to look again at one resource: soon at first, then every 150 ms, after a minute every half second. Ends when the time is over
 * or the signal aborts; there is always a look at the very end.
 */
export async function* paced(timeoutMs: number, signal?: AbortSignal): AsyncGenerator<void> {
  const startedAt = performance.now();
  for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.5, 150)) {
    if (signal?.aborted) return;
    yield;
    const spent = performance.now() - startedAt;
    if (spent >= timeoutMs) return;
    await pause(Math.min(spent > SLOW_AFTER_MS ? 500 : pauseMs, timeoutMs - spent), { signal });
  }
}
