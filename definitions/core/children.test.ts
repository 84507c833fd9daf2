import { describe, expect, it } from 'vitest';
import { bringChildren, childOf, forgottenChildren, isBrought, isChildReady, laneOf, removeChildren, wishOf } from './children.ts';
import type { ChildNews, ChildProblem, ChildRef, ChildWish } from './family.ts';
import type { View } from './plan.ts';
import type { Observation } from './step.ts';

const NOW = 1_000_000;

const wish = (name: string, size = 1): ChildWish => wishOf(name, { kind: 'Part', metadata: { name }, spec: { size } });

const ref = ({ key, digest }: ChildWish, generation = 1): ChildRef => ({
  apiVersion: 'example.com/v1',
  kind: 'Part',
  name: key,
  uid: `uid-${key}`,
  id: `parts.example.com/default/${key}`,
  key,
  digest,
  generation,
});

const news = ({ id, uid, name }: ChildRef, more: Partial<ChildNews> = {}): ChildNews => ({
  id,
  uid,
  apiVersion: 'example.com/v1',
  kind: 'Part',
  name,
  resourceVersion: '5',
  generation: 1,
  phase: 'Ready',
  ready: 'True',
  reason: 'Settled',
  message: '',
  ...more,
});

const seen = (value: unknown, at = NOW): Observation => ({ key: 'k', generation: 1, at, value });

const view = (children: readonly ChildRef[], told: readonly ChildNews[] = [], more: Partial<View> = {}): View => ({
  now: NOW,
  apiVersion: 'example.com/v1',
  kind: 'Machine',
  metadata: {
    name: 'm',
    namespace: 'default',
    uid: 'owner',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '',
    labels: {},
    annotations: {},
    ownerReferences: [],
    finalizers: [],
  },
  spec: {},
  deleting: false,
  observed: { children: seen({ children }), ...Object.fromEntries(told.map((one) => [laneOf(one.id), seen(one)])) },
  failing: {},
  nudge: 0,
  status: undefined,
  tuning: { scheduleToStartMs: 1_000, firstRetryMs: 1_000 },
  ...more,
});

const withProblems = (problems: readonly ChildProblem[], lookedAt?: number): Partial<View> => ({
  observed: {
    children: seen({ children: [], problems }),
    ...(lookedAt === undefined ? {} : { 'children/obstacles': seen({ free: [] }, lookedAt) }),
  },
});

const blocked = ({ key, digest }: ChildWish, reason: ChildProblem['reason']): ChildProblem => ({ key, digest, reason, message: 'no' });

describe('the children of an owner', () => {
  it('are brought to what is wished in one step, and not again once they are there', () => {
    const wishes = [wish('a'), wish('b')];
    expect(bringChildren(view([]), wishes)).toMatchObject([{ activity: 'applyChildren', about: 'children', input: { wishes } }]);
    expect(bringChildren(view(wishes.map((one) => ref(one))), wishes)).toEqual([]);
  });

  it('are brought back when somebody else has changed them, or they are gone', () => {
    const a = wish('a');
    const child = ref(a);
    expect(isBrought(view([child], [news(child)]), a)).toBe(true);
    expect(bringChildren(view([child], [news(child, { generation: 2 })]), [a])).toMatchObject([{ input: { wishes: [a] } }]);
    expect(bringChildren(view([child], [news(child, { gone: true })]), [a])).toMatchObject([{ input: { wishes: [a] } }]);
  });

  it('are ready only at the state that was wished', () => {
    const a = wish('a');
    const child = ref(a, 2);
    expect(isChildReady(view([child], [news(child, { generation: 1 })]), a), 'an earlier generation').toBe(false);
    expect(isChildReady(view([child], [news(child, { generation: 2 })]), a)).toBe(true);
    expect(isChildReady(view([child], [news(child, { generation: 2, ready: 'Unknown' })]), a)).toBe(false);
    expect(isChildReady(view([child], [news(child, { generation: 2, uid: 'another' })]), a), 'of another incarnation').toBe(false);
    expect(isChildReady(view([child], [news(child, { generation: 2 })]), wish('a', 9)), 'a newer wish').toBe(false);
  });

  it('of a blocked wish are waited for quietly, without holding back the others', () => {
    const [a, b] = [wish('a'), wish('b')];
    const tried = view([], [], withProblems([blocked(a, 'KindUnknown')]));
    expect(bringChildren(tried, [a, b])).toMatchObject([{ activity: 'applyChildren', input: { wishes: [b] } }]);
    expect(bringChildren(tried, [a])).toMatchObject([{ activity: 'awaitChildren', about: 'children/obstacles' }]);
    const free = view([], [], withProblems([blocked(a, 'KindUnknown')], NOW + 1));
    expect(bringChildren(free, [a])).toMatchObject([{ activity: 'applyChildren', input: { wishes: [a] } }]);
  });

  it('that refuse a wish are not asked again until it changes', () => {
    const a = wish('a');
    const refused = view([], [], withProblems([blocked(a, 'Refused')]));
    expect(bringChildren(refused, [a])).toEqual([]);
    expect(bringChildren(refused, [wish('a', 2)])).toHaveLength(1);
  });

  it('are told apart by kind and name: a retyped one is another child', () => {
    const a = wish('a');
    const retyped = wishOf('a', { ...a.manifest, kind: 'Wheel' });
    expect(childOf(view([ref(a)]), retyped)).toBeUndefined();
  });

  it('go once, and all of them under one key whoever is left', () => {
    const children = [ref(wish('a')), ref(wish('b'))];
    const [step] = removeChildren(view(children), { waves: [children], all: true });
    const gone = view([], [], { observed: { children: { ...seen({ children: [] }), key: step?.key ?? '' } } });
    expect(removeChildren(gone, { waves: [], all: true })).toEqual([]);
    expect(removeChildren(view(children), { waves: [[]] })).toEqual([]);
  });

  it('are not left alone for longer than five seconds when the process dies that dealt with them', () => {
    const [a, b] = [wish('a'), wish('b')];
    const steps = [
      ...bringChildren(view([]), [a]),
      ...bringChildren(view([], [], withProblems([blocked(b, 'KindUnknown')])), [b]),
      ...removeChildren(view([ref(a)]), { waves: [[ref(a)]] }),
    ];
    expect(steps.map(({ activity, timeouts }) => [activity, timeouts.heartbeatMs])).toEqual([
      ['applyChildren', 5_000],
      ['awaitChildren', 5_000],
      ['removeChildren', 5_000],
    ]);
  });

  it('are forgotten when they are gone and out of the inventory', () => {
    const [a, b] = [ref(wish('a')), ref(wish('b'))];
    const left = view([a], [news(a, { gone: true }), news(b, { gone: true })]);
    expect(forgottenChildren(left)).toEqual([laneOf(b.id)]);
  });
});
