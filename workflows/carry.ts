import { jsonBytes } from '../definitions/core/replayed/bytes.ts';
import type { Failing } from '../definitions/core/step.ts';
import type { ResourceState } from './state.ts';

/** What a hand-over aims at. */
const MAX_STATE_BYTES = 1024 * 1024;
/** The server ends a workflow that hands over 2 MB, and what stands around the state needs some room. */
const MAX_CARRIED_BYTES = 1_900 * 1024;
const FEW = 10;
const SHORT_MESSAGE = 100;

/**
 * The state for the next run: what is least missed goes first when it would be too large for the server.
 *
 * Measured once and reckoned from there: to measure a large state takes long, and a task that takes seconds ends its worker.
 */
export function carried(state: ResourceState): ResourceState {
  let excess = jsonBytes(state) - MAX_STATE_BYTES;
  const shed = (list: unknown[], least: number): void => {
    while (excess > 0 && list.length > least) excess -= jsonBytes(list.shift()) + 1;
  };
  shed(state.revisions, 1);
  shed(state.events, FEW);
  shed(state.answered, FEW);
  shed(state.revisions, 0);
  if (excess > 0) state.failing = inShort(state.failing);
  return state;
}

/** Why even the least of a state cannot be handed over, for a person; undefined when it can. */
export function whyNotCarried(state: ResourceState): string | undefined {
  const least = { ...state, revisions: [], events: state.events.slice(-FEW), answered: state.answered.slice(-FEW) };
  const bytes = jsonBytes({ ...least, failing: inShort(state.failing) });
  if (bytes <= MAX_CARRIED_BYTES) return undefined;
  return `what is known of it has ${bytes} bytes, and only with at most ${MAX_CARRIED_BYTES} can its history be begun anew; its steps or its handler should answer less`;
}

const inShort = (failing: ResourceState['failing']): ResourceState['failing'] =>
  Object.fromEntries(Object.entries(failing).map(([lane, one]) => [lane, shortened(one)]));

const shortened = (failing: Failing): Failing =>
  failing.message.length <= SHORT_MESSAGE ? failing : { ...failing, message: `${failing.message.slice(0, SHORT_MESSAGE - 1)}…` };
