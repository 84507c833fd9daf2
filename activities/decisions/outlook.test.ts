import { expect, it } from 'vitest';
import { annotations } from '../../definitions/core/annotations.ts';
import type { Plan, View } from '../../definitions/core/plan.ts';
import type { Condition } from '../../definitions/core/resource.ts';
import type { Step } from '../../definitions/core/step.ts';
import { outlook } from './outlook.ts';

const ROLLOVER = { events: 1_000, bytes: 1_000_000, updates: 1_000 };

const view: View = {
  now: 1_000,
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {
    name: 'w1',
    uid: 'u1',
    generation: 2,
    resourceVersion: '7',
    creationTimestamp: new Date(0).toISOString(),
    labels: {},
    annotations: {},
    finalizers: [],
    ownerReferences: [],
  },
  spec: {},
  deleting: false,
  observed: {},
  failing: {},
  nudge: 0,
  status: undefined,
  tuning: { scheduleToStartMs: 1_000, firstRetryMs: 100 },
};

const step = (key: string): Step => ({
  key,
  about: 'world',
  activity: 'handle',
  reason: 'Handling',
  summary: 'handle it',
  input: {},
  timeouts: { startToCloseMs: 1_000 },
  retry: { maximumAttempts: 3, initialIntervalMs: 100, maximumIntervalMs: 400 },
});

function readyOf(plan: Plan, inAir: readonly string[]): Partial<Condition> | undefined {
  const { status } = outlook(
    plan,
    { ...view, inAir },
    { id: 'widgets.example.com/default/w', rejected: undefined, told: undefined },
    ROLLOVER,
  );
  return (status.set.conditions as readonly Condition[] | undefined)?.find(({ type }) => type === 'Ready');
}

const READY = { type: 'Ready', status: 'True', reason: 'AllThere', message: 'All are there.' } as const;
const settled: Plan = { steps: [], status: {}, conditions: [READY], observedGeneration: 2 };

it('is ready when nothing is left to do and nothing is under way', () => {
  expect(readyOf(settled, [])).toMatchObject({ status: 'True', reason: 'AllThere' });
});

it('knows nothing while something that is no longer wanted is still under way, whatever the planner says', () => {
  expect(readyOf(settled, ['roll/B'])).toMatchObject({ status: 'Unknown', reason: 'Reconciling' });
});

it('leaves the word to the planner while only what is wanted is under way', () => {
  const looking: Plan = { ...settled, steps: [step('look')] };
  expect(readyOf(looking, ['look'])).toMatchObject({ status: 'True', reason: 'AllThere' });
  expect(readyOf(looking, ['look', 'roll/B'])).toMatchObject({ status: 'Unknown' });
});

it('tells the owner that it is gone only when nothing of it is under way any more, wanted or not', () => {
  const owner = 'boxes.example.com/default/b';
  const metadata = {
    ...view.metadata,
    annotations: { [annotations.owner]: owner },
    ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Box', name: 'b', uid: 'u0', controller: true }],
  };
  const known = { id: 'widgets.example.com/default/w', rejected: undefined, told: 'something else' };
  const leaving = (inAir: readonly string[]) =>
    outlook({ steps: [], status: {}, finalized: true }, { ...view, metadata, deleting: true, inAir }, known, ROLLOVER);
  expect(leaving(['keep/load/a1'])).toMatchObject({ finalized: false, cancel: ['keep/load/a1'], tell: { news: { deleting: true } } });
  expect(leaving(['keep/load/a1']).tell?.news).not.toHaveProperty('gone');
  expect(leaving([])).toMatchObject({ finalized: true, tell: { to: owner, news: { gone: true } } });
});

it('shows an end that nobody can go on from as a failure, and does not credit the generation with it', () => {
  const useless: Plan = { steps: [], status: {}, conditions: [READY], failure: { reason: 'InvalidAnswer', message: 'it is not usable' } };
  const known = { id: 'widgets.example.com/default/w', rejected: undefined, told: undefined };
  const first = outlook(useless, view, known, ROLLOVER).status.set;
  expect(first).toMatchObject({
    phase: 'Failed',
    conditions: [{ type: 'Ready', status: 'False', reason: 'InvalidAnswer' }, { type: 'Stalled' }],
  });
  expect(first.observedGeneration).toBeUndefined();
  const before = { observedGeneration: 1, phase: 'Ready', conditions: [] };
  const later = outlook(useless, { ...view, status: before }, known, ROLLOVER).status.set;
  expect(later).toMatchObject({ phase: 'Failed' });
  expect('observedGeneration' in later).toBe(false);
});

it('puts on the record what the planner notes, beside the conditions that change', () => {
  const note = { type: 'Warning', reason: 'NotNotified', message: 'ops was not told.' } as const;
  const known = { id: 'widgets.example.com/default/w', rejected: undefined, told: undefined };
  const { notes } = outlook({ ...settled, notes: [note] }, view, known, ROLLOVER);
  expect(notes).toEqual([{ type: 'Normal', reason: 'AllThere', message: 'All are there.' }, note]);
});

it.each([
  { reason: 'Settling', note: 'Normal' },
  { reason: 'ReplicasNotReady', note: 'Warning' },
  { type: 'LimitsHeld', reason: 'RuntimeLocal', note: 'Warning' },
])('calls $reason a $note event', ({ type = 'Ready', reason, note }) => {
  const conditions = [{ ...READY, type, status: 'False', reason } as const];
  const known = { id: 'widgets.example.com/default/w', rejected: undefined, told: undefined };
  expect(outlook({ ...settled, conditions }, view, known, ROLLOVER).notes).toContainEqual(expect.objectContaining({ type: note, reason }));
});

/** What is said of a step that failed and may fly again then. */
function stalledOf(more: Partial<View>, retryAt: number, plan: Partial<Plan> = {}): Partial<Condition> | undefined {
  const failing = { world: { key: 'handle', reason: 'Exploded', message: 'the pump is broken', count: 1, since: 0, retryAt } };
  const known = { id: 'widgets.example.com/default/w', rejected: undefined, told: undefined };
  const { status, notes } = outlook({ steps: [step('handle')], status: {}, ...plan }, { ...view, failing, ...more }, known, ROLLOVER);
  const stalled = (status.set.conditions as readonly Condition[]).find(({ type }) => type === 'Stalled');
  expect(notes.filter(({ reason }) => reason === 'NotTriedAgain')).toEqual(
    stalled ? [{ type: 'Warning', reason: 'NotTriedAgain', message: stalled.message }] : [],
  );
  return stalled;
}

it('says of a failure that nobody tries again what it waits for', () => {
  const said = (message: string) => ({ status: 'True', reason: 'NotTriedAgain', message, observedGeneration: 2 });
  expect(stalledOf({}, Number.MAX_SAFE_INTEGER)).toMatchObject(
    said('It is not tried again until the spec changes or somebody asks for it.'),
  );
  expect(stalledOf({ deleting: true }, Number.MAX_SAFE_INTEGER)).toMatchObject(said('It is not tried again until somebody asks for it.'));
});

it('says nothing of the kind while a failure is tried again, or belongs to a step that nobody wants any more', () => {
  expect(stalledOf({}, view.now + 60_000)).toBeUndefined();
  expect(stalledOf({}, Number.MAX_SAFE_INTEGER, { steps: [step('handle/n1')] })).toBeUndefined();
});

it('says so too of an answer that is no use, unless it is asked for again by itself', () => {
  const useless = { steps: [], failure: { reason: 'InvalidAnswer', message: 'it is not usable' } };
  expect(stalledOf({ failing: {} }, 0, useless)).toMatchObject({ status: 'True' });
  expect(stalledOf({ failing: {} }, 0, { ...useless, wakeAt: 5_000 })).toBeUndefined();
  expect(stalledOf({ failing: {} }, 0, { ...useless, steps: [step('handle/@1')] })).toBeUndefined();
});

it('says one thing of a condition, also when the handler has a word for it too', () => {
  const stated = { type: 'Stalled', status: 'False', reason: 'Flowing', message: 'It flows.' } as const;
  const failing = { world: { key: 'handle', reason: 'Exploded', message: 'no', count: 1, since: 0, retryAt: Number.MAX_SAFE_INTEGER } };
  const known = { id: 'widgets.example.com/default/w', rejected: undefined, told: undefined };
  const told = (more: Partial<View>) => {
    const { status } = outlook({ steps: [step('handle')], status: {}, conditions: [stated] }, { ...view, ...more }, known, ROLLOVER);
    return (status.set.conditions as readonly Condition[]).filter(({ type }) => type === 'Stalled').map(({ reason }) => reason);
  };
  expect([told({}), told({ failing })]).toEqual([['Flowing'], ['NotTriedAgain']]);
});
