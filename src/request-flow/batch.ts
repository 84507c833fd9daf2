import { createHash } from 'node:crypto';
import type { BaseStatus, ManifestMetadata, Resource } from '../../definitions/core/resource.ts';
import type { RequestStateSpec, RequestStateStatus } from '../../definitions/request-state/schema.ts';
import { nextMove } from './next-move.ts';

/** Flows that a director began together. Written on each of them, so that any of them tells a restarted director all it must know. */
export interface Batch {
  readonly id: string;
  readonly size: number;
  readonly jobs: readonly string[];
  readonly attempts: number;
  readonly timeoutMs?: number;
}

export type Request = Resource<RequestStateSpec, RequestStateStatus & BaseStatus>;

const BATCH = 'request-flow/batch';

/** Selects what belongs to a director. */
export const ownedBy = (director: string): string => `director=${director}`;

/** Derived, not drawn: a director that was killed while it created flows creates each of them once. */
export function flowName({ id }: Batch, index: number): string {
  const hex = createHash('sha256').update(`${id}/${index}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

export function flowMetadata(batch: Batch, index: number, director: string, namespace: string): ManifestMetadata {
  return {
    name: flowName(batch, index),
    namespace,
    labels: { director, batch: batch.id },
    annotations: { [BATCH]: JSON.stringify(batch) },
  };
}

/** The batch that a request says it belongs to; undefined when nothing readable is written on it. */
export function batchOf({ metadata }: Request): Batch | undefined {
  try {
    const batch = JSON.parse(metadata.annotations[BATCH] ?? '') as Partial<Batch>;
    const isWhole =
      typeof batch.id === 'string' && Number.isInteger(batch.size) && Array.isArray(batch.jobs) && Number.isInteger(batch.attempts);
    return isWhole ? (batch as Batch) : undefined;
  } catch {
    return undefined;
  }
}

/** Batches with flows that are not at their end, or that were never created. */
export function unfinished(requests: readonly Request[], now: number): Batch[] {
  const batches = new Map<string, { batch: Batch; finished: number }>();
  for (const request of requests) {
    const batch = batchOf(request);
    if (!batch) continue;
    const entry = batches.get(batch.id) ?? { batch, finished: 0 };
    const move = nextMove({ spec: request.spec, status: request.status, jobs: batch.jobs }, { ...batch, now });
    if (move.type === 'done') entry.finished += 1;
    batches.set(batch.id, entry);
  }
  return [...batches.values()].filter(({ batch, finished }) => finished < batch.size).map(({ batch }) => batch);
}
