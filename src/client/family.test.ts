import { describe, expect, it } from 'vitest';
import type { ChildRef } from '../../definitions/core/family.ts';
import type { Family } from './api.ts';
import type { Context } from './context.ts';
import { readFamily } from './family.ts';
import { Reader } from './read.ts';
import type { Session } from './session.ts';

interface Someone {
  readonly owner?: string;
  readonly bornAt?: string;
  /** The index does not show it yet. */
  readonly isLate?: boolean;
  /** What it says it has made, in that order; absent: no worker answers. */
  readonly made?: readonly string[];
}

/** A server that knows these, by name; each asks for its children by the index and by the owner's word. */
function familyIn(people: Readonly<Record<string, Someone>>): Context {
  const idOf = (name: string): string => `things.example.com/default/${name}`;
  const payload = (value: unknown) => ({ data: Buffer.from(JSON.stringify(value)) });
  const execution = (name: string) => {
    const { owner, bornAt = '2026-01-01T00:00:00Z' } = people[name] as Someone;
    const meta = {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: bornAt,
      labels: {},
      annotations: {},
      ownerReferences: owner ? [{ apiVersion: 'example.com/v1', kind: 'Thing', name: owner, uid: `uid-${owner}`, controller: true }] : [],
      finalizers: [],
    };
    return {
      execution: { workflowId: idOf(name), runId: `uid-${name}` },
      type: { name: 'Thing' },
      status: 1,
      searchAttributes: { indexedFields: { ColonyVersion: payload(7) } },
      memo: { fields: { apiVersion: payload('example.com/v1'), meta: payload(meta), spec: payload({}) } },
    };
  };
  const nameOf = (id: string): string => id.split('/').at(-1) ?? '';
  const session = {
    temporalNamespace: 'default',
    timeoutMs: 1_000,
    within: (_: number, call: () => Promise<unknown>) => call(),
    service: {
      listWorkflowExecutions: async ({ query }: { query: string }) => ({
        executions: Object.keys(people)
          .filter((name) => people[name]?.owner && !people[name]?.isLate)
          .filter((name) => query.includes(`'Thing/${people[name]?.owner}/uid-${people[name]?.owner}'`))
          .map(execution),
        nextPageToken: new Uint8Array(),
      }),
      describeWorkflowExecution: async ({ execution: { workflowId } }: { execution: { workflowId: string } }) =>
        people[nameOf(workflowId)] ? { workflowExecutionInfo: execution(nameOf(workflowId)) } : {},
    },
    workflows: {
      getHandle: (id: string) => ({
        query: async (): Promise<readonly Partial<ChildRef>[]> => {
          const { made } = people[nameOf(id)] as Someone;
          if (!made) throw new Error('no worker answers');
          return made.map((name) => ({ id: idOf(name), uid: `uid-${name}` }));
        },
      }),
    },
  } as unknown as Session;
  return { session, reader: new Reader(session) } as unknown as Context;
}

const target = {
  identity: { plural: 'things', group: 'example.com', namespace: 'default', name: 'root' },
  workflowId: 'things.example.com/default/root',
  subject: 'Thing root',
};
const namesOf = ({ resource, children }: Family): unknown => [resource.metadata.name, ...children.map(namesOf)];
const read = async (people: Readonly<Record<string, Someone>>) => namesOf(await readFamily(familyIn(people), target));

describe('a family', () => {
  it('stands in the order in which its owner made it, strangers to the inventory by their age behind that', async () => {
    const young = '2026-01-03T00:00:00Z';
    const old = '2026-01-02T00:00:00Z';
    const people = {
      root: { made: ['b', 'a'] },
      a: { owner: 'root' },
      b: { owner: 'root' },
      y: { owner: 'root', bornAt: young },
      z: { owner: 'root', bornAt: old },
    };
    expect(await read(people)).toEqual(['root', ['b'], ['a'], ['z'], ['y']]);
  });

  it('is found by the index alone while no worker answers', async () => {
    expect(await read({ root: {}, b: { owner: 'root' }, a: { owner: 'root' }, c: { owner: 'a' } })).toEqual(['root', ['a', ['c']], ['b']]);
  });

  it('has a child that the index does not show yet, and not one that was let go or is gone', async () => {
    const people = { root: { made: ['late', 'released', 'gone'] }, late: { owner: 'root', isLate: true }, released: {}, other: {} };
    expect(await read(people)).toEqual(['root', ['late']]);
  });

  it('ends where owners own each other, and shows nobody twice', async () => {
    expect(await read({ root: { owner: 'b' }, a: { owner: 'root' }, b: { owner: 'a' } })).toEqual(['root', ['a', ['b']]]);
  });
});
