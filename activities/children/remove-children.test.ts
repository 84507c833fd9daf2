import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../definitions/core/resource.ts';
import { createRemoveChildren } from './remove-children.ts';

const ours = { apiVersion: 'app.colonies.io/v1', kind: 'Application', name: 'shop', uid: 'uid-shop', controller: true };
const theirs = { ...ours, name: 'other', uid: 'uid-other' };
const request = {
  kind: 'Application',
  metadata: { name: 'shop', uid: 'uid-shop' } as Metadata,
  inventory: [],
  waves: [],
  released: [],
  all: true,
  inBackground: true,
};

interface Child {
  readonly uid?: string;
  readonly owners?: readonly object[];
  readonly status?: string;
}

/** A server whose index still lists all as ours; answers with those that were asked to go. */
async function removed(children: Readonly<Record<string, Child>>): Promise<readonly string[]> {
  const asked: string[] = [];
  const memoOf = (uid: string, ownerReferences: readonly object[]) => ({ meta: { uid, ownerReferences } });
  const workflow = {
    list: async function* () {
      for (const id of Object.keys(children)) yield { workflowId: id, memo: memoOf(id, [ours]) };
    },
    getHandle: (id: string) => ({
      describe: async () => {
        const { uid = id, owners = [ours], status = 'RUNNING' } = children[id] ?? {};
        return { status: { name: status }, runId: uid, raw: {}, memo: memoOf(uid, owners) };
      },
      executeUpdate: async (name: string) => void asked.push(`${name} ${id}`),
    }),
  };
  await createRemoveChildren({ workflow } as unknown as Client)(request);
  return asked;
}

describe('removeChildren', () => {
  it('takes along a child that no step has reported', async () => {
    expect(await removed({ made: {} })).toEqual(['delete made']);
  });

  it('leaves a child alone that was let go or taken over a moment ago, whatever the index says', async () => {
    expect(await removed({ free: { owners: [] }, taken: { owners: [theirs] }, made: {} })).toEqual(['delete made']);
  });

  it('leaves alone who has taken the name of a child', async () => {
    expect(await removed({ follower: { uid: 'another' }, gone: { status: 'COMPLETED' } })).toEqual([]);
  });
});
