import type { BaseStatus } from '../../definitions/core/resource.ts';
import type { RequestStateSpec, RequestStateStatus } from '../../definitions/request-state/schema.ts';
import type { Resources, WatchEvent, WatchOptions } from '../client/api.ts';
import { pause } from '../client/pause.ts';
import { isHopeless } from './ask.ts';
import type { Say } from './say.ts';

export type Requests = Resources<RequestStateSpec, RequestStateStatus>;
export type RequestEvent = WatchEvent<RequestStateSpec, RequestStateStatus & BaseStatus>;

const AGAIN_MS = 1_000;

/** Watches until the signal aborts. A watch that breaks is begun anew, so `onEvent` may see the same request twice, but misses none; fails for one that can never be. */
export async function follow(
  requests: Requests,
  options: WatchOptions & { readonly signal: AbortSignal },
  onEvent: (event: RequestEvent) => void,
  say: Say,
): Promise<void> {
  while (!options.signal.aborted) {
    try {
      for await (const event of requests.watch(options)) onEvent(event);
    } catch (error) {
      if (options.signal.aborted) return;
      if (isHopeless(error)) throw error;
      say(`the watch broke and is begun anew: ${(error as Error).message}`);
    }
    await pause(AGAIN_MS, { signal: options.signal });
  }
}
