import { describe, expect, it } from 'vitest';
import type { Condition, Resource } from '../../../definitions/core/resource.ts';
import { whyStuck } from './why-stuck.ts';

const condition = (type: string, status: Condition['status'], reason: string, message = `${reason} it is.`): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-03-01T12:00:00Z',
  observedGeneration: 1,
});
const resource = (conditions: readonly Condition[] | undefined, metadata: Partial<Resource['metadata']> = {}): Resource => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {
    name: 'w1',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '',
    labels: {},
    annotations: {},
    ownerReferences: [],
    finalizers: [],
    ...metadata,
  },
  spec: {},
  ...(conditions ? { status: { observedGeneration: 2, conditions } } : {}),
});

describe('whyStuck', () => {
  it('has nothing to say of a resource that is ready', () => {
    expect(whyStuck(resource([condition('Ready', 'True', 'Settled')]), 'widget/w1')).toBeUndefined();
  });

  it.each([
    { name: 'no status', given: resource(undefined), why: 'No worker', todo: 'colony doctor' },
    {
      name: 'paused',
      given: resource([condition('Ready', 'True', 'Settled'), condition('Paused', 'True', 'Paused')]),
      why: 'Paused',
      todo: 'colony resume widget/w1',
    },
    {
      name: 'a refused signal',
      given: resource([condition('Ready', 'True', 'Settled'), condition('SpecAccepted', 'False', 'SpecRefused')]),
      why: 'SpecRefused',
      todo: 'valid',
    },
    {
      name: 'instances that crash',
      given: resource([condition('Ready', 'False', 'CrashLoopBackOff')]),
      why: 'CrashLoopBackOff',
      todo: 'colony logs widget/w1',
    },
    {
      name: 'a paused rollout',
      given: resource([condition('Ready', 'False', 'RolloutPaused')]),
      why: 'RolloutPaused',
      todo: 'colony rollout resume widget/w1',
    },
    {
      name: 'a failing planner',
      given: resource([condition('PlanFailed', 'True', 'PlanFailed')]),
      why: 'PlanFailed',
      todo: 'update the workers',
    },
    {
      name: 'no executor',
      given: resource([
        condition('Ready', 'Unknown', 'ExecutorUnavailable'),
        condition('ExecutorUnavailable', 'True', 'ExecutorUnavailable'),
      ]),
      why: 'ExecutorUnavailable',
      todo: 'Start an executor',
    },
    { name: 'a bad spec', given: resource([condition('Ready', 'False', 'InvalidSpec')]), why: 'InvalidSpec', todo: 'correct it and apply' },
    { name: 'a failure', given: resource([condition('Ready', 'False', 'Exploded')]), why: 'Exploded', todo: 'colony reconcile widget/w1' },
    {
      name: 'a newer generation',
      given: { ...resource([condition('Ready', 'Unknown', 'Reconciling')], { generation: 3 }) },
      why: 'Reconciling it is',
      todo: 'colony wait widget/w1',
    },
    {
      name: 'clean-up',
      given: resource([condition('Ready', 'False', 'Deleting')], { deletionTimestamp: 'now' }),
      why: 'being deleted',
      todo: 'colony delete widget/w1 --force',
    },
    {
      name: 'finalizers',
      given: resource([condition('Paused', 'True', 'Paused'), condition('DeletionBlocked', 'True', 'FinalizersLeft')], {
        deletionTimestamp: 'now',
      }),
      why: 'FinalizersLeft',
      todo: '--force',
    },
  ])('$name', ({ given, why, todo }) => {
    const stuck = whyStuck(given, 'widget/w1');
    expect(stuck?.why).toContain(why);
    expect(stuck?.todo).toContain(todo);
  });
});
