import type { Client } from '@temporalio/client';
import { digestOf } from '../../definitions/core/digest.ts';
import { workflowIdOf } from '../../definitions/core/identity.ts';
import type { Manifest } from '../../definitions/core/resource.ts';
import { describe } from '../resources/incarnation.ts';
import { readResource } from '../resources/read-resource.ts';
import { applyResource } from './apply-resource.ts';

interface Entry {
  readonly key: string;
  readonly value: unknown;
  /** ISO. */
  readonly expiresAt: string;
}

interface CacheRequest {
  /** What the step depends on, as its author says. */
  readonly key: string;
  /** Where the run lives. */
  readonly namespace?: string;
}

export interface ReadCacheRequest extends CacheRequest {
  /** Older ones do not count; absent: whatever has not expired. */
  readonly maxAgeMs?: number;
}

export interface WriteCacheRequest extends CacheRequest {
  readonly value: unknown;
  readonly ttlMs: number;
}

export type CacheAnswer = { readonly hit: false } | { readonly hit: true; readonly value: unknown; readonly at: string };

const API_VERSION = 'automation.colonies.io/v1';
const PLURAL = 'stepcaches';
/** When the value was put there: an entry that is written again is not made anew. */
const CACHED_AT = 'automation.colonies.io/cached-at';

/** The activity `readCache`: what an earlier step of the same key brought, in the same namespace. */
export function createReadCache(client: Client): (request: ReadCacheRequest) => Promise<CacheAnswer> {
  return async ({ key, maxAgeMs = Number.POSITIVE_INFINITY, namespace }) => {
    const id = workflowIdOf({ plural: PLURAL, group: 'automation.colonies.io', name: nameOf(key), ...(namespace ? { namespace } : {}) });
    const described = await describe(client, id);
    if (described?.status.name !== 'RUNNING') return { hit: false };
    const resource = await readResource(client, id, described);
    if (!resource || resource.metadata.deletionTimestamp) return { hit: false };
    const entry = resource.spec as unknown as Entry;
    const at = resource.metadata.annotations[CACHED_AT] ?? resource.metadata.creationTimestamp;
    const isFresh = Date.now() < Date.parse(entry.expiresAt) && Date.now() - Date.parse(at) <= maxAgeMs;
    return entry.key === key && isFresh ? { hit: true, value: entry.value, at } : { hit: false };
  };
}

/** The activity `writeCache`: keeps what a step brought. A value that cannot be kept is no failure: the next step does its work again. */
export function createWriteCache(
  client: Client,
): (request: WriteCacheRequest) => Promise<{ readonly written: boolean; readonly why?: string }> {
  return async ({ key, value, ttlMs, namespace }) => {
    const now = Date.now();
    const entry: Entry = { key, value, expiresAt: new Date(now + ttlMs).toISOString() };
    const manifest: Manifest = {
      apiVersion: API_VERSION,
      kind: 'StepCache',
      metadata: {
        name: nameOf(key),
        ...(namespace ? { namespace } : {}),
        annotations: { [CACHED_AT]: new Date(now).toISOString() },
      },
      spec: { ...entry },
    };
    const applied = await applyResource(client, PLURAL, manifest, { actor: 'a step of a run' });
    return 'uid' in applied ? { written: true } : { written: false, why: applied.message };
  };
}

const nameOf = (key: string): string => digestOf(key).slice(0, 40);
