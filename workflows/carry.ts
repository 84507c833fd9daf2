import { jsonBytes } from '../definitions/core/replayed/bytes.ts';
import type { ResourceState } from './state.ts';

const MAX_STATE_BYTES = 1024 * 1024;

/** The state for the next run: what is least missed goes first when it would be too large for the server. */
export function carried(state: ResourceState): ResourceState {
  const isTooLarge = () => jsonBytes(state) > MAX_STATE_BYTES;
  while (isTooLarge() && state.revisions.length > 1) state.revisions.shift();
  while (isTooLarge() && state.events.length > 10) state.events.shift();
  while (isTooLarge() && state.answered.length > 10) state.answered.shift();
  if (isTooLarge()) state.revisions = [];
  return state;
}
