import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { seenOf } from './seen.ts';
import { amountOf } from './stats.ts';

const scope = { cluster: 'c1', node: 'n1' };
const AT = new Date('2026-01-01T00:00:00Z');

interface Fields {
  readonly name?: string;
  readonly uid?: string;
  readonly container?: Partial<V1ContainerStatus>;
  readonly status?: V1Pod['status'];
  readonly metadata?: V1Pod['metadata'];
  readonly image?: string;
}

const pod = ({ name = 'p', uid = 'u', container, status, metadata, image = 'i:1' }: Fields = {}): V1Pod => ({
  metadata: {
    name,
    uid: `id-${name}`,
    creationTimestamp: AT,
    labels: { 'colony.io/cluster': 'c1', 'colony.io/node': 'n1', 'colony.io/uid': uid },
    annotations: {
      'colony.io/resource': 'r',
      'colony.io/name': 'n',
      'colony.io/digest': 'd',
      'colony.io/generation': '3',
      'colony.io/image': 'i:1',
    },
    ...metadata,
  },
  spec: { containers: [{ name: 'main', image }] },
  status: {
    phase: 'Running',
    ...status,
    ...(container ? { containerStatuses: [{ name: 'main', image, imageID: '', ready: true, restartCount: 0, ...container }] } : {}),
  },
});

const running = { state: { running: { startedAt: AT } } };
const ready = { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: AT }] };
const crashed = { exitCode: 137, reason: 'OOMKilled', message: 'the last line', finishedAt: AT };
const see = (fields: Fields) => seenOf([pod(fields)], scope)[0];

describe('a pod as an instance', () => {
  it('is ready when Kubernetes says so', () => {
    expect(see({ container: { ...running, restartCount: 2 }, status: ready })).toEqual({
      id: 'id-p',
      name: 'p',
      slot: 0,
      digest: 'd',
      generation: 3,
      state: 'running',
      ready: true,
      startedAt: AT.toISOString(),
      readyAt: AT.toISOString(),
      restarts: 2,
      owner: { uid: 'u', resource: 'r', name: 'n' },
      probes: {},
    });
  });

  it.each([
    { name: 'just made', fields: {}, expected: { state: 'created', ready: false } },
    {
      name: 'running, not ready',
      fields: { container: running },
      expected: { state: 'running', ready: false, notReady: expect.any(String) },
    },
    {
      name: 'crashing',
      fields: { container: { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: crashed }, restartCount: 4 } },
      expected: {
        state: 'exited',
        restarts: 4,
        exit: { code: 137, signal: 'SIGKILL', outOfMemory: true, at: AT.toISOString(), log: 'the last line' },
      },
    },
    {
      name: 'without its image',
      fields: { container: { state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off 10s' } } } },
      expected: { state: 'created', stuck: { reason: 'ImageMissing', message: expect.stringContaining('i:1') } },
    },
    {
      name: 'without its command',
      fields: {
        container: {
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: {
            terminated: { exitCode: 128, reason: 'StartError', message: 'exec: "x": executable file not found', finishedAt: AT },
          },
        },
      },
      expected: { stuck: { reason: 'CommandNotFound' } },
    },
    {
      name: 'without a place',
      fields: { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] } },
      expected: { stuck: { reason: 'Unschedulable', message: expect.stringContaining('0/3 nodes') } },
    },
    { name: 'changed by hand', fields: { image: 'other:1' }, expected: { handEdited: expect.stringContaining('other:1') } },
  ])('$name', ({ fields, expected }) => expect(see(fields as Fields)).toMatchObject(expected));

  it('says the same while an image is tried again and again', () => {
    const [first, second] = ['ErrImagePull', 'ImagePullBackOff'].map((reason) => see({ container: { state: { waiting: { reason } } } }));
    expect(first).toEqual(second);
  });

  it.each([
    { name: 'pods that go away', fields: { metadata: { deletionTimestamp: AT } } },
    { name: 'evicted ones', fields: { status: { phase: 'Failed' } } },
    { name: 'ones of another installation', fields: { metadata: { labels: { 'colony.io/cluster': 'other', 'colony.io/node': 'n1' } } } },
    { name: 'ones that make no sense', fields: { metadata: { annotations: {} } } },
  ])('leaves out $name', ({ fields }) => expect(see(fields as Fields)).toBeUndefined());

  it('gives slots by age, then name, to each owner', () => {
    const later = { creationTimestamp: new Date(AT.getTime() + 1_000) };
    const young = pod({ name: 'a' });
    const pods = [
      { ...young, metadata: { ...young.metadata, ...later } },
      pod({ name: 'c' }),
      pod({ name: 'b' }),
      pod({ name: 'z', uid: 'v' }),
    ];
    expect(seenOf(pods, scope).map(({ name, slot }) => [name, slot])).toEqual([
      ['b', 0],
      ['c', 1],
      ['a', 2],
      ['z', 0],
    ]);
  });
});

it.each([
  { given: '12500n', expected: 0.0000125 },
  { given: '250m', expected: 0.25 },
  { given: '64Mi', expected: 64 * 1024 ** 2 },
  { given: '2', expected: 2 },
])('amountOf $given', ({ given, expected }) => expect(amountOf(given)).toBeCloseTo(expected, 9));
