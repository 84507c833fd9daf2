import type { Resource } from '../../definitions/core/resource.ts';
import type { WatchEvent } from './api.ts';
import { GoneError } from './errors.ts';
import { type Change, versionOf } from './informer/change.ts';
import type { Informer } from './informer.ts';

/** True for the resources that a watcher wants to hear of. */
export type Picks = (workflowId: string, resource: Resource) => boolean;

/**
 * All resources that an informer holds and the filter picks, then what becomes of them, until the signal aborts.
 *
 * Guarantees: for each resource ADDED, MODIFIED…, DELETED; one that no longer fits the filter is DELETED for this watcher, one that
 * begins to fit is ADDED. A reader that was too slow to be told everything is told the difference to what it knew.
 */
export async function* watch(informer: Informer, picks: Picks, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
  const known = new Map<string, Resource>();
  while (!signal?.aborted) {
    const { resources, position } = informer.snapshot();
    yield* difference(known, new Map(resources.filter(([id, resource]) => picks(id, resource))));
    try {
      for await (const change of informer.changes(position, signal)) {
        const event = eventOf(change, picks);
        if (!event) continue;
        if (event.type === 'DELETED') known.delete(change.workflowId);
        else known.set(change.workflowId, event.resource);
        yield event;
      }
      return;
    } catch (error) {
      if (!(error instanceof GoneError)) throw error;
    }
  }
}

/** What became of the picked resources after a resourceVersion that this informer has told. Throws GoneError when it has forgotten. */
export async function* resume(informer: Informer, picks: Picks, since: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
  for await (const change of informer.changes(informer.positionOf(since), signal)) {
    const event = eventOf(change, picks);
    if (event) yield event;
  }
}

/** A change as one sees it who looks only at what the filter picks. */
export function eventOf({ type, workflowId, resource, before }: Change, picks: Picks): WatchEvent | undefined {
  const wasPicked = before !== undefined && picks(workflowId, before);
  const isPicked = type !== 'DELETED' && picks(workflowId, resource);
  if (isPicked) return { type: wasPicked ? 'MODIFIED' : 'ADDED', resource };
  return wasPicked ? { type: 'DELETED', resource } : undefined;
}

/** The events that lead from what a watcher knew to what is; brings `known` up to date. */
function* difference(known: Map<string, Resource>, now: ReadonlyMap<string, Resource>): Generator<WatchEvent> {
  for (const [id, before] of [...known]) {
    const after = now.get(id);
    if (after?.metadata.uid === before.metadata.uid) continue;
    known.delete(id);
    yield { type: 'DELETED', resource: before };
  }
  for (const [id, resource] of now) {
    const before = known.get(id);
    known.set(id, resource);
    if (!before) yield { type: 'ADDED', resource };
    else if (versionOf(before) < versionOf(resource)) yield { type: 'MODIFIED', resource };
  }
}
