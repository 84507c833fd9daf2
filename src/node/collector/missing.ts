import type { Client } from '@temporalio/client';
import { ask } from '../../../activities/resources/ask.ts';
import { describeAlive } from '../../../activities/resources/incarnation.ts';
import type { ChildNews, ChildRef } from '../../../definitions/core/family.ts';
import type { Child, Household } from './households.ts';

export interface Missing {
  readonly owner: Household;
  readonly child: ChildRef;
}

/** Children of an owner that are no more although it counts on them: ended by hand, so that they could not say so. */
export async function missingIn(client: Client, children: readonly Child[], owner: Household): Promise<readonly Missing[]> {
  const living = children.filter(({ owners }) => owners.some(({ uid }) => uid === owner.uid));
  if (living.length >= owner.children) return [];
  const known = new Set(living.map(({ uid }) => uid));
  const missing: Missing[] = [];
  for (const child of await ask<readonly ChildRef[]>(client, owner.resource, 'family')) {
    if (!known.has(child.uid) && !(await describeAlive(client, child))) missing.push({ owner, child });
  }
  return missing;
}

/** Says for the child what it could not say itself. */
export async function tellMissing(client: Client, { owner, child }: Missing): Promise<void> {
  const { id, uid, apiVersion, kind, name, generation = 0 } = child;
  const news: ChildNews = {
    id,
    uid,
    apiVersion,
    kind,
    name,
    resourceVersion: String(Date.now() * 1_000),
    generation,
    phase: 'Gone',
    ready: 'False',
    reason: 'Gone',
    message: 'It was ended from outside.',
    gone: true,
  };
  await client.workflow.getHandle(owner.resource).signal('child', news);
}
