import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ChildWish } from '../../definitions/core/family.ts';
import { whyNotOurs } from '../../definitions/core/replayed/adoption.ts';
import type { Metadata } from '../../definitions/core/resource.ts';
import { describe } from '../resources/incarnation.ts';
import { manifestOf, type Owner } from './manifest.ts';
import { createFindPlace } from './place.ts';

export interface AwaitChildrenRequest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly wishes: readonly ChildWish[];
}

/** Waits until what stood in the way of at least one of the wishes is gone. Looks and changes nothing. */
export function createAwaitChildren(client: Client): (request: AwaitChildrenRequest) => Promise<{ readonly free: readonly string[] }> {
  const findPlace = createFindPlace(client);

  const isFree = async (wish: ChildWish, owner: Owner): Promise<boolean> => {
    const place = await findPlace(wish.manifest);
    if ('reason' in place) return false;
    const child = manifestOf(wish, place, owner);
    if ('message' in child) return true;
    const described = await describe(client, child.id);
    if (described?.status.name !== 'RUNNING') return true;
    const meta = described.memo?.meta as Metadata | undefined;
    if (meta === undefined || meta.deletionTimestamp) return false;
    const { kind, metadata } = owner;
    return whyNotOurs({ kind, name: metadata.name, uid: metadata.uid }, { kind: child.manifest.kind, metadata: meta }) === undefined;
  };

  return async ({ apiVersion, kind, metadata, wishes }) => {
    const owner: Owner = { apiVersion, kind, metadata, id: activityInfo().workflowExecution?.workflowId ?? '' };
    const free = [];
    for (const wish of wishes) if (await isFree(wish, owner)) free.push(wish.key);
    if (free.length > 0) return { free };
    throw ApplicationFailure.create({ type: 'NotReady', message: 'nothing has changed yet', category: 'BENIGN' });
  };
}
