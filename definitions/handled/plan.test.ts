import { describe, expect, it } from 'vitest';
import { wishOf } from '../core/children.ts';
import type { View } from '../core/plan.ts';
import { planHandled } from './plan.ts';

const handler = { executorType: 'makers', functionName: 'reconcile_widget' };
const NOW = 1_000_000;

const view = (more: Partial<View> = {}): View => ({
  now: NOW,
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {
    name: 'w1',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '',
    labels: {},
    annotations: {},
    ownerReferences: [],
    finalizers: [],
  },
  spec: { size: 3 },
  deleting: false,
  observed: {},
  failing: {},
  nudge: 0,
  status: undefined,
  tuning: { scheduleToStartMs: 30_000, firstRetryMs: 1_000 },
  ...more,
});
const seen = (key: string, generation: number, value: unknown = {}, at = NOW) => ({ handler: { key, generation, at, value } });

describe('planHandled', () => {
  it('calls the handler for a generation it has not seen, and names what changed', () => {
    const [step] = planHandled(handler, view({ observed: seen('reconcile/g1/n0', 1), previousSpec: { size: 2 } })).steps;
    expect(step).toMatchObject({ queue: 'makers', activity: 'reconcile_widget', summary: 'reconcile generation 2' });
    expect(step?.input).toMatchObject({
      action: 'update',
      changes: [{ path: 'spec.size', type: 'modified', old: 2, new: 3 }],
      idempotencyKey: 'u/2',
    });
  });

  it('is asked to create what was only stored before the kind had a handler', () => {
    const status = { observedGeneration: 2, phase: 'Ready', conditions: [] };
    expect(planHandled(handler, view({ status })).steps[0]?.input).toMatchObject({ action: 'create' });
  });

  it('settles once the handler has answered for this generation', () => {
    const plan = planHandled(handler, view({ observed: seen('reconcile/g2/n0', 2, { status: { url: 'x' } }) }));
    expect(plan.steps).toEqual([]);
    expect(plan.status).toEqual({ url: 'x' });
    expect(plan.observedGeneration).toBe(2);
    expect(plan.wakeAt).toBeUndefined();
  });

  it('does not credit an answer to a later generation', () => {
    expect(planHandled(handler, view({ observed: seen('reconcile/g1/n0', 1) })).observedGeneration).toBe(1);
  });

  it('looks again at every interval, with a key of its own, and on request', () => {
    const every = { ...handler, reconcileInterval: 30 };
    const observed = seen('reconcile/g2/n0', 2, {}, NOW - 10_000);
    expect(planHandled(every, view({ observed }))).toMatchObject({ steps: [], wakeAt: NOW + 20_000 });
    expect(planHandled(every, view({ observed, now: NOW + 20_000 })).steps[0]).toMatchObject({
      key: `reconcile/g2/n0/@${NOW - 10_000}`,
      input: { action: 'noop' },
    });
    expect(planHandled(handler, view({ observed, nudge: 1 })).steps).toHaveLength(1);
  });

  it('waits for ever for an executor once it was said that there is none', () => {
    const failing = { handler: { key: 'reconcile/g2/n0', reason: 'ExecutorUnavailable', message: '', count: 1, since: 0, retryAt: 0 } };
    expect(planHandled(handler, view()).steps[0]?.timeouts.scheduleToStartMs).toBe(30_000);
    expect(planHandled(handler, view({ failing })).steps[0]?.timeouts.scheduleToStartMs).toBeUndefined();
  });

  it('says again that there is no executor when a new generation finds none', () => {
    const failing = { handler: { key: 'reconcile/g1/n0', reason: 'ExecutorUnavailable', message: '', count: 1, since: 0, retryAt: 0 } };
    expect(planHandled(handler, view({ failing })).steps[0]?.timeouts.scheduleToStartMs).toBe(30_000);
  });

  it('stays ready while it looks again', () => {
    const every = { ...handler, reconcileInterval: 10 };
    const plan = planHandled(every, view({ observed: seen('reconcile/g2/n0', 2, {}, NOW - 10_000) }));
    expect(plan.steps).toHaveLength(1);
    expect(plan.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  });

  it('retries quietly without end while the handler says NotReady', () => {
    const failing = { handler: { key: 'reconcile/g2/n0', reason: 'NotReady', message: '', count: 1, since: 0, retryAt: 0 } };
    expect(planHandled(handler, view()).steps[0]?.retry.maximumAttempts).toBe(3);
    expect(planHandled(handler, view({ failing })).steps[0]?.retry.maximumAttempts).toBe(0);
  });

  it('finalizes once, and says what a forced delete would leave behind until then', () => {
    const before = planHandled(handler, view({ deleting: true, observed: seen('reconcile/g2/n0', 2) }));
    expect(before.steps[0]?.input).toMatchObject({ operation: 'finalize', action: 'delete', idempotencyKey: 'u/finalize' });
    expect(before.leftBehind).toHaveLength(1);
    const after = planHandled(handler, view({ deleting: true, observed: seen('finalize/u/n0', 2) }));
    expect(after).toMatchObject({ steps: [], leftBehind: [] });
  });

  describe('an answer that is not usable', () => {
    const useless = seen('reconcile/g2/n0', 2, { status: 'fine' });
    const before = { observedGeneration: 1, phase: 'Ready', conditions: [], url: 'x' };

    it('is said, and does not count for the generation it was given for', () => {
      const plan = planHandled(handler, view({ observed: useless }));
      expect(plan).toMatchObject({ steps: [], failure: { reason: 'InvalidAnswer' } });
      expect(plan.observedGeneration).toBeUndefined();
    });

    it('says everything that is wrong with it, in sentences with paths', () => {
      const observed = seen('reconcile/g2/n0', 2, { status: 'fine', conditions: [{ type: 'Up', status: 'yes' }] });
      expect(planHandled(handler, view({ observed })).failure?.message).toBe(
        'The handler\'s answer is not usable: status: must be an object (got "fine"); ' +
          'conditions[0].status: must be one of True, False, Unknown (got "yes").',
      );
    });

    it('leaves what was known before as it was', () => {
      expect(planHandled(handler, view({ observed: useless, status: before })).status).toEqual({ url: 'x' });
    });

    it('is forgotten by whoever is asked again: the call is about what was last reached', () => {
      const again = (more: Partial<View>) => planHandled(handler, view({ observed: useless, nudge: 1, ...more }));
      expect(again({}).steps[0]?.input).toMatchObject({ action: 'create', changes: [] });
      expect(again({}).failure).toBeUndefined();
      expect(again({ status: before, previousSpec: { size: 2 } }).steps[0]?.input).toMatchObject({
        action: 'update',
        changes: [{ path: 'spec.size', type: 'modified', old: 2, new: 3 }],
      });
    });
  });

  it('just stores a kind without handler, with the status that others report', () => {
    const plan = planHandled(undefined, view({ observed: { reported: { key: 'status', generation: 2, at: NOW, value: { seen: 1 } } } }));
    expect(plan).toMatchObject({ steps: [], status: { seen: 1 } });
  });
});

describe('children of a handled resource', () => {
  const child = { apiVersion: 'example.com/v1', kind: 'Part', metadata: { name: 'p1' } };
  const answered = seen('reconcile/g2/n0', 2, { children: [child] });
  const wish = wishOf('example.com/v1/Part/p1', child);
  const ref = { apiVersion: 'example.com/v1', kind: 'Part', name: 'p1', uid: 'c1', id: 'parts.example.com/default/p1' };
  const inventory = [{ ...ref, key: wish.key, digest: wish.digest, generation: 1 }];
  const applied = { children: { key: 'children/first', generation: 2, at: NOW, value: { children: inventory } } };

  it('are applied after the handler has answered, and the owner is not ready before', () => {
    const plan = planHandled(handler, view({ observed: answered }));
    expect(plan.steps).toMatchObject([{ activity: 'applyChildren', input: { wishes: [wish], inventory: [] } }]);
    expect(plan.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'Unknown' }));
  });

  it('are left alone once they are as wished, also when a later answer does not speak of them', () => {
    expect(planHandled(handler, view({ observed: { ...answered, ...applied } })).steps).toEqual([]);
    expect(planHandled(handler, view({ observed: { ...seen('reconcile/g2/n0', 2, {}), ...applied } })).steps).toEqual([]);
  });

  it('go before the handler is asked to clean up', () => {
    const before = planHandled(handler, view({ deleting: true, observed: { ...answered, ...applied } }));
    expect(before.steps.map(({ activity }) => activity)).toEqual(['removeChildren']);
    expect(before.leftBehind).toContain('Part p1, which it owns.');
    const gone = { children: { key: 'childrenGone/all', generation: 2, at: NOW, value: { children: [] } } };
    const after = planHandled(handler, view({ deleting: true, observed: { ...answered, ...gone } }));
    expect(after.steps.map(({ activity }) => activity)).toEqual(['reconcile_widget']);
  });
});
