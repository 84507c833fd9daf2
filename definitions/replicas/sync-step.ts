import type { InstanceWish } from '../core/instance.ts';
import { HEARTBEAT_MS, patience } from '../core/patience.ts';
import type { View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Observation, Step } from '../core/step.ts';
import type { Template } from '../core/template.ts';
import { laneOf, queueOf } from './lanes.ts';
import { nudgeOf } from './nudge.ts';
import { startLimit } from './revisions.ts';

const SYNC_MS = 30 * 60_000;

/** What stands for the wish that everything goes. */
const GONE = 'gone';

export interface SyncOrder {
  /** Stands for what is wished: another wish has another print. */
  readonly print: string;
  readonly reason: string;
  /** One line for people. */
  readonly text: string;
  readonly wish: Omit<InstanceWish, 'runtime' | 'node' | 'stop'>;
}

/**
 * The step that brings one node to what is wished of it.
 *
 * Its key names the wish, the node, and the look at the node that it answers: the same wish after a newer look is a new flight.
 */
export function syncStep(view: View<unknown>, { runtime, stop }: Template, node: string, order: SyncOrder): Step {
  const lane = laneOf(node);
  const seen = view.observed[lane];
  const since = seen ? `${seen.at}.${(seen.value as { asOf?: { seq?: number } } | null)?.asOf?.seq ?? 0}` : '0';
  const key = `sync/${order.print}/n${view.nudge}/@${since}/${node}`;
  const input: InstanceWish = { runtime, node, stop, ...order.wish };
  const { retry, ...limit } = patience(view, lane, key, SYNC_MS);
  return {
    key,
    about: lane,
    activity: 'syncInstances',
    queue: queueOf(node),
    reason: order.reason,
    summary: order.text,
    input: input as unknown as JsonObject,
    with: ['metadata'],
    timeouts: { ...limit, startToCloseMs: SYNC_MS, heartbeatMs: HEARTBEAT_MS, ...startLimit(view, lane, key) },
    retry,
  };
}

/** The step after which the owner has nothing on the node. */
export function removalStep(view: View<unknown>, template: Template, node: string): Step {
  const wish = { revisions: [], resting: [], restart: [], remove: 'all', waitReadyMs: 0 } as const;
  return syncStep(view, template, node, { print: GONE, reason: 'RemovingInstances', text: `remove all instances on ${node}`, wish });
}

/** Whether the last that a node answered was that everything was gone; somebody may have told of more since. */
export const wasRemoved = (seen: Observation | undefined): boolean => seen?.key.startsWith(`sync/${GONE}/`) ?? false;

/** What the last answer of a node was an answer to. */
export function answered(seen: Observation | undefined): { readonly print?: string; readonly nudge: number } {
  const print = /^sync\/([^/]+)\//.exec(seen?.key ?? '')?.[1];
  return { ...(print === undefined ? {} : { print }), nudge: nudgeOf(seen) };
}

/** The node that a flight is on its way to; undefined for flights of other activities. */
export const nodeOfKey = (key: string): string | undefined => /^sync\/[^/]+\/n\d+\/@[^/]+\/(.+)$/.exec(key)?.[1];
