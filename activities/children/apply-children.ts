import { activityInfo } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type { ChildProblem, ChildRef, ChildrenSeen, ChildWish } from '../../definitions/core/family.ts';
import type { Metadata } from '../../definitions/core/resource.ts';
import { sendApply } from '../resources/send-apply.ts';
import { manifestOf, type Owner } from './manifest.ts';
import { createFindPlace } from './place.ts';

export interface ApplyChildrenRequest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly wishes: readonly ChildWish[];
  readonly inventory: readonly ChildRef[];
  readonly problems?: readonly ChildProblem[];
}

const AT_ONCE = 16;

/**
 * Brings children to what is wished of them, all at once, and answers with the inventory as it is then.
 *
 * Safe to repeat: an unchanged child costs nothing. A resource of that name that belongs to somebody else is never touched.
 * A wish that cannot be carried out is told as a problem and does not hold back the others.
 */
export function createApplyChildren(client: Client): (request: ApplyChildrenRequest) => Promise<ChildrenSeen> {
  const findPlace = createFindPlace(client);

  const bring = async (wish: ChildWish, owner: Owner): Promise<ChildRef | ChildProblem> => {
    const { key, digest } = wish;
    const place = await findPlace(wish.manifest);
    if ('reason' in place) return { key, digest, ...place };
    const child = manifestOf(wish, place, owner);
    if ('message' in child) return { key, digest, reason: 'Refused', message: child.message };
    const { id, manifest } = child;
    const { apiVersion, kind, metadata } = manifest;
    const actor = `${owner.kind}/${owner.metadata.name}`;
    const answer = await sendApply(client, kind, id, { ...manifest, only: 'own', actor });
    if ('refused' in answer) return { key, digest, reason: reasonOf(answer.refused), message: answer.message };
    const { uid, generation } = answer;
    const namespace = place.scope === 'Cluster' ? {} : { namespace: metadata.namespace ?? '' };
    return { apiVersion, kind, ...namespace, name: metadata.name, uid, id, key, digest, generation };
  };

  return async ({ apiVersion, kind, metadata, wishes, inventory, problems = [] }) => {
    const owner: Owner = { apiVersion, kind, metadata, id: activityInfo().workflowExecution?.workflowId ?? '' };
    const inTurn = pLimit(AT_ONCE);
    const results = await Promise.all(wishes.map((wish) => inTurn(() => bring(wish, owner))));
    const made = results.filter((result): result is ChildRef => 'uid' in result);
    const failed = results.filter((result): result is ChildProblem => 'reason' in result);
    const tried = new Set(wishes.map(({ key }) => key));
    return {
      children: merged(inventory, made),
      problems: [...problems.filter(({ key }) => !tried.has(key)), ...failed],
    };
  };
}

/** What refuses for now, because of who or how it is, and what refuses the wish itself. */
function reasonOf(refused: string): ChildProblem['reason'] {
  if (refused === 'NotOwned') return 'NotOwned';
  return refused === 'Deleting' ? 'GoingAway' : 'Refused';
}

/** Children keep their place in the inventory; one that had to be made anew is the youngest. */
function merged(inventory: readonly ChildRef[], made: readonly ChildRef[]): readonly ChildRef[] {
  const byUid = new Map(made.map((child) => [child.uid, child]));
  const ids = new Set(made.map(({ id }) => id));
  const kept = inventory.filter(({ id, uid }) => byUid.has(uid) || !ids.has(id)).map((child) => byUid.get(child.uid) ?? child);
  const known = new Set(kept.map(({ uid }) => uid));
  return [...kept, ...made.filter(({ uid }) => !known.has(uid))];
}
