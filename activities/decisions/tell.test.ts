import { expect, it } from 'vitest';
import type { Plan, View } from '../../definitions/core/plan.ts';
import type { Condition } from '../../definitions/core/resource.ts';
import { outlook } from './outlook.ts';
import { tellOf } from './tell.ts';

const OWNER = 'machines.example.com/default/m';

const NEVER = { events: 1_000, bytes: 1_000_000, updates: 1_000 };

const view = (annotations: Record<string, string> = { 'colony.io/owner': OWNER }, more: Partial<View> = {}): View => ({
  now: 1_000,
  apiVersion: 'example.com/v1',
  kind: 'Part',
  metadata: {
    name: 'p',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '5',
    generation: 2,
    creationTimestamp: '',
    labels: {},
    annotations,
    ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Machine', name: 'm', uid: 'owner', controller: true }],
    finalizers: [],
  },
  spec: {},
  deleting: false,
  observed: {},
  failing: {},
  nudge: 0,
  status: undefined,
  tuning: { scheduleToStartMs: 1_000, firstRetryMs: 100 },
  ...more,
});

const status = (ready: Condition['status'], more: object = {}) => ({
  observedGeneration: 2,
  phase: 'Ready',
  conditions: [{ type: 'Ready', status: ready, reason: 'Because', message: 'So it is.', lastTransitionTime: '', observedGeneration: 2 }],
  ...more,
});

const tell = (one: View, shown: ReturnType<typeof status>, told?: string, isGone = false) =>
  tellOf(one, 'parts.example.com/default/p', shown, isGone, told);

it('tells the owner how it is, once', () => {
  const first = tell(view(), status('True'));
  expect(first).toMatchObject({ to: OWNER, news: { uid: 'u', generation: 2, ready: 'True', phase: 'Ready' } });
  expect(tell(view(), status('True'), first?.fingerprint)).toBeUndefined();
  expect(tell(view(), status('False'), first?.fingerprint)).toMatchObject({ news: { ready: 'False' } });
});

it('does not tell that it was made: its owner made it', () => {
  const nothing = { ...status('Unknown'), observedGeneration: 1 };
  const reconciling = { ...nothing, conditions: nothing.conditions.map((one) => ({ ...one, reason: 'Reconciling' })) };
  expect(tell(view(), reconciling)).toBeUndefined();
  expect(tell(view(), reconciling, 'something else')).toMatchObject({ news: { ready: 'Unknown' } });
});

it('leaves out mere details, unless the owner has not heard what it was told last', () => {
  const plan: Plan = { steps: [], status: {}, inDetail: true };
  const toldAfter = (told: string) => outlook(plan, view(), { id: 'parts.example.com/default/p', rejected: undefined, told }, NEVER).tell;
  expect(toldAfter('earlier')).toBeUndefined();
  expect(toldAfter('')).toMatchObject({ to: OWNER, news: { generation: 2 } });
});

it('is never ready for a generation that it has not reached', () => {
  expect(tell(view(), { ...status('True'), observedGeneration: 1 })?.news.ready).toBe('Unknown');
});

it('tells the values that the owner asked for, and those only', () => {
  const asked = view({ 'colony.io/owner': OWNER, 'colony.io/tells': 'status.endpoint status.deep.one status.none' });
  const found = tell(asked, status('True', { endpoint: 'db:1', deep: { one: 1, two: 2 }, other: 'x' }));
  expect(found?.news.values).toEqual({ 'status.endpoint': 'db:1', 'status.deep.one': 1 });
  expect(tell(asked, status('True', { endpoint: 'x'.repeat(20_000) }))?.news.values, 'what is too large for news is left out').toEqual({});
});

it('tells a value whose name has a dot, under the path that it was asked by', () => {
  const asked = view({ 'colony.io/owner': OWNER, 'colony.io/tells': 'status.zones["eu.north"] status["a\\u0020b"].c status.plain' });
  const found = tell(asked, status('True', { zones: { 'eu.north': 'n:1' }, 'a b': { c: 2 }, plain: 3 }));
  expect(found?.news.values).toEqual({ 'status.zones["eu.north"]': 'n:1', 'status["a\\u0020b"].c': 2, 'status.plain': 3 });
});

it('says that it is gone with its last word', () => {
  expect(tell(view(undefined, { deleting: true }), status('False'), 'earlier', true)?.news).toMatchObject({ deleting: true, gone: true });
});

it('tells nobody without an owner that listens', () => {
  expect(tell(view({}), status('True'))).toBeUndefined();
  expect(tell(view({ 'colony.io/owner': 'not an id' }), status('True'))).toBeUndefined();
  const free = view();
  expect(tell({ ...free, metadata: { ...free.metadata, ownerReferences: [] } }, status('True'))).toBeUndefined();
});
