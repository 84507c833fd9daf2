import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';
import { jsonLines } from '../docker/json-lines.ts';
import { answerOf, clusterError, isStatus, outage, unknown } from './errors.ts';
import { identityOf, selectorOf } from './labels.ts';
import type { Pods } from './pods.ts';

interface Event {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: V1Pod & { readonly code?: number };
}

/** A cluster ends a watch by itself now and then; one that ends sooner than this is waited for. */
const SHORT_MS = 1_000;
const WATCH_SECONDS = 240;
/** What was watched from is no longer remembered. */
const GONE = 410;

/** How often the cluster is asked whether it still lives: a dead one keeps its connections open. */
export interface Pings {
  readonly everyMs: number;
  readonly timeoutMs: number;
}

export const usualPings: Pings = { everyMs: 10_000, timeoutMs: 5_000 };

/** See `Runtime.watch`. Goes on by itself where the cluster ended the stream; after a gap everything is looked at again. */
export async function watchPods(
  pods: Pods,
  pings: Pings,
  onReady: () => void,
  onChange: (owner: InstanceOwner) => void,
  signal: AbortSignal,
): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener('abort', end, { once: true });
  try {
    if (signal.aborted) return;
    await Promise.race([follow(pods, onReady, onChange, ending.signal), keepAsking(pods, pings, ending.signal)]);
  } catch (error) {
    if (signal.aborted) return;
    throw unknown(clusterError(error));
  } finally {
    signal.removeEventListener('abort', end);
    ending.abort();
  }
}

async function follow(pods: Pods, onReady: () => void, onChange: (owner: InstanceOwner) => void, signal: AbortSignal): Promise<never> {
  for (;;) {
    let { version } = await pods.list();
    let isReady = false;
    try {
      for (;;) {
        const began = Date.now();
        const events = await open(pods, version, signal);
        if (!isReady) onReady();
        isReady = true;
        for await (const { type, object } of jsonLines<Event>(events)) {
          if (type === 'ERROR') throw answerOf(object.code ?? 500, object);
          version = object.metadata?.resourceVersion ?? version;
          const owner = type === 'BOOKMARK' ? undefined : identityOf(object, pods.scope)?.owner;
          if (owner) onChange(owner);
        }
        if (Date.now() - began < SHORT_MS) await sleep(SHORT_MS, undefined, { signal });
      }
    } catch (error) {
      if (!isStatus(error, GONE)) throw error;
    }
  }
}

const open = (pods: Pods, resourceVersion: string, signal: AbortSignal) =>
  pods.cluster.open(
    '/api/v1/pods',
    {
      watch: 'true',
      labelSelector: selectorOf(pods.scope),
      resourceVersion,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(WATCH_SECONDS),
    },
    signal,
  );

async function keepAsking(pods: Pods, { everyMs, timeoutMs }: Pings, signal: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(everyMs, undefined, { signal });
    await Promise.race([pods.ping(), silence(timeoutMs, signal)]);
  }
}

async function silence(timeoutMs: number, signal: AbortSignal): Promise<never> {
  await sleep(timeoutMs, undefined, { signal });
  throw outage(new Error('no answer in time'));
}
