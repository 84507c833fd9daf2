import { setTimeout as sleep } from 'node:timers/promises';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';
import { Unreachable } from '../runtime.ts';
import type { Containers } from './containers.ts';
import { LOOK_TIMEOUT_MS } from './engine.ts';
import { outage, unexpected } from './errors.ts';
import { jsonLines } from './json-lines.ts';
import { identityOf } from './labels.ts';
import type { Listings } from './listings.ts';
import { exitFrom } from './seen.ts';

/** How often the engine is asked whether it still lives: a frozen one keeps its connections open. */
export interface Pings {
  readonly everyMs: number;
  readonly timeoutMs: number;
}

export const usualPings: Pings = { everyMs: 10_000, timeoutMs: 5_000 };

interface Event {
  readonly Type: 'container' | 'network';
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
  readonly timeNano: number;
}

const EVENTS = ['start', 'die', 'rename', 'update', 'oom', 'pause', 'unpause', 'health_status', 'destroy', 'connect', 'disconnect'];
/** The engine says that the stream has begun a little before it listens: what happened meanwhile is told again. */
const OVERLAP_SECONDS = 2;

/** See `Runtime.watch`. Networks have no labels of containers, so what is ours is told apart here and not by the engine. */
export async function watchContainers(
  containers: Containers,
  listings: Listings,
  pings: Pings,
  onReady: () => void,
  onChange: (owner: InstanceOwner) => void,
  signal: AbortSignal,
): Promise<void> {
  const { engine, known } = containers;
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener('abort', end, { once: true });
  try {
    if (signal.aborted) return;
    const since = String(Math.floor(Date.now() / 1000) - OVERLAP_SECONDS);
    const query = { since, filters: { type: ['container', 'network'], event: EVENTS } };
    const answer = await engine.open('GET', '/events', { query, timeoutMs: LOOK_TIMEOUT_MS, signal: ending.signal });
    known.watching();
    onReady();
    const follow = async (): Promise<never> => {
      for await (const event of jsonLines<Event>(answer)) {
        const owner = digest(containers, listings, event);
        if (owner) onChange(owner);
      }
      throw new Error('the stream of events ended');
    };
    await Promise.race([follow(), keepAsking(containers, pings, ending.signal)]);
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof Unreachable ? error : outage(unexpected(error));
  } finally {
    signal.removeEventListener('abort', end);
    ending.abort();
    known.blind();
  }
}

async function keepAsking({ engine }: Containers, { everyMs, timeoutMs }: Pings, signal: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(everyMs, undefined, { signal });
    await engine.call('GET', '/_ping', { timeoutMs, signal });
  }
}

/** Takes in what an event makes outdated; tells whose it is, if it is one of ours that somebody shall be told of. */
function digest({ scope, known }: Containers, listings: Listings, { Type, Action, Actor, timeNano }: Event): InstanceOwner | undefined {
  const { ID: id, Attributes: attributes } = Actor;
  if (Type === 'network') return digestNetwork(known, id, Action, attributes.container ?? '');
  const identity = identityOf(attributes, scope);
  if (!identity) return undefined;
  const { owner, once } = identity;
  const at = new Date(timeNano / 1e6).toISOString();
  switch (Action) {
    case 'start':
      known.started(id);
      break;
    case 'die':
      known.died(id, exitFrom(Number(attributes.exitCode ?? 0), at, false));
      break;
    case 'oom':
      if (!known.starved(id, at)) return undefined;
      break;
    case 'destroy':
      known.gone(id);
      listings.forget(owner.uid);
      break;
    case 'rename':
      listings.forget(owner.uid);
      known.drop(id);
      break;
    default:
      known.drop(id);
  }
  return once ? undefined : owner;
}

function digestNetwork(known: Containers['known'], network: string, action: string, container: string): InstanceOwner | undefined {
  const inspection = known.inspection(container);
  if (!inspection) return undefined;
  // Every start and end of a container tells of its networks too; only what changes them is news.
  if (inspection.networks.includes(network) === (action === 'connect')) return undefined;
  known.drop(container);
  return inspection.seen.once ? undefined : inspection.seen.owner;
}
