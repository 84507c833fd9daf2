import { describe, expect, it } from 'vitest';
import type { Condition, Resource } from '../../../definitions/core/resource.ts';
import { whyStuck, worthKnowing } from './why-stuck.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

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
    expect(whyStuck(resource([condition('Ready', 'True', 'Settled')]), 'widget/w1', NOW)).toBeUndefined();
  });

  it('has nothing to say of a run that waits for time to pass', () => {
    const run = (reason: string): Resource => {
      const waits = resource([condition('Suspended', 'True', reason), condition('Ready', 'Unknown', 'Suspended')]);
      return { ...waits, apiVersion: 'automation.colonies.io/v1', kind: 'WorkflowRun', status: { ...waits.status, phase: 'Suspended' } };
    };
    expect(whyStuck(run('WaitingForTime'), 'run/r1', NOW)).toBeUndefined();
    expect(whyStuck(run('WaitingForApproval'), 'run/r1', NOW)?.todo).toContain('colony workflow approve');
  });

  it('tells an executor that is missing from a node', () => {
    const lacks = (message: string) => resource([condition('ExecutorUnavailable', 'True', 'ExecutorUnavailable', message)]);
    expect(whyStuck(lacks('a: no node called ghost answers.'), 'run/r1')?.todo).toContain('Start the agent of that node;');
    expect(whyStuck(lacks('a: nobody on task queue q.'), 'run/r1')?.todo).toContain('Start an executor on that queue;');
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
    ...['InvalidAnswer', 'ResultTooLarge', 'ResultUnreadable'].map((reason) => ({
      name: `an answer that is no use: ${reason}`,
      given: resource([condition('Ready', 'False', reason)]),
      why: reason,
      todo: 'Mend the executor, then have it called again: colony reconcile widget/w1',
    })),
    {
      name: 'a failure of a resource that somebody sent a bad spec to as well',
      given: resource([condition('Ready', 'False', 'Exploded'), condition('SpecAccepted', 'False', 'SpecRefused')]),
      why: 'Exploded',
      todo: 'colony reconcile widget/w1',
    },
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
    const stuck = whyStuck(given, 'widget/w1', NOW);
    expect(stuck?.why).toContain(why);
    expect(stuck?.todo).toContain(todo);
  });

  it.each(['ImageMissing', 'PortTaken', 'RegistryUnreachable'])('%s is said to be tried again, when, and how to hurry it', (reason) => {
    const given = resource([condition('Ready', 'False', reason)]);
    const told = (nextTryTime: string) => whyStuck({ ...given, status: { ...given.status, nextTryTime } }, 'widget/w1', NOW)?.todo;
    const hurry = 'to try now: colony reconcile widget/w1';
    expect(told('2026-03-01T12:04:10Z')).toBe(`Correct the spec and apply, or mend what is in the way: the next try is in 4m10s; ${hurry}`);
    expect(told('2026-03-01T12:00:00Z')).toBe('Correct the spec and apply, or mend what is in the way: it is being tried just now.');
    expect(whyStuck(given, 'widget/w1', NOW)?.todo).toBe(`It is tried again with growing delay; ${hurry}`);
  });
});

describe('a failure that is not tried again', () => {
  const stalled = condition('Stalled', 'True', 'NotTriedAgain');
  const todo = (ready: Condition, metadata: Partial<Resource['metadata']> = {}) =>
    whyStuck(resource([ready, stalled], metadata), 'widget/w1', NOW)?.todo;
  const instead = 'correct the spec and apply, or mend what is in the way and have it tried: colony reconcile widget/w1';

  it('says what a person can do instead of waiting', () => {
    expect(todo(condition('Ready', 'False', 'Exploded'))).toBe(`It is not tried again by itself: ${instead}`);
    expect(whyStuck(resource([condition('Ready', 'False', 'Exploded'), stalled]), 'widget/w1', NOW)?.why).toBe('Exploded: Exploded it is.');
  });

  it('is none where an executor merely calls something stalled', () => {
    expect(whyStuck(resource([condition('Ready', 'True', 'Settled'), stalled]), 'widget/w1', NOW)).toBeUndefined();
  });

  it('is not waited for, although it is of a wait', () => {
    expect(todo(condition('Ready', 'Unknown', 'NotReady'), { generation: 3 })).toBe(`It is not tried again by itself: ${instead}`);
  });

  it('keeps the better word of those that only another spec, or another executor, can mend', () => {
    expect(todo(condition('Ready', 'False', 'InvalidSpec'))).toBe('It is not tried again until the spec changes: correct it and apply.');
    expect(todo(condition('Ready', 'False', 'InvalidAnswer'))).toContain('Mend the executor');
  });

  it('of a clean-up can be asked for, or done without', () => {
    expect(todo(condition('Ready', 'False', 'Exploded'), { deletionTimestamp: 'now' })).toBe(
      'It is not tried again by itself: mend what is in the way and have it tried: colony reconcile widget/w1. When nobody will do that any more: colony delete widget/w1 --force (it says what it leaves behind).',
    );
  });
});

describe('worthKnowing', () => {
  it('has nothing to say of a resource of which all is well', () => {
    expect(worthKnowing(resource([condition('Ready', 'True', 'Settled')]), 'widget/w1')).toBeUndefined();
  });

  it('says what was refused, ready or not', () => {
    const refused = condition('SpecAccepted', 'False', 'SpecRefused');
    const given = [condition('Ready', 'True', 'Settled'), condition('Ready', 'False', 'Exploded')];
    for (const ready of given) {
      const known = worthKnowing(resource([ready, refused]), 'widget/w1');
      expect(known?.why).toContain('SpecRefused');
      expect(known?.todo).toContain('valid');
    }
  });

  it('says which resources no longer fit their definition', () => {
    const known = worthKnowing(resource([condition('InstancesFit', 'False', 'SomeDoNotFit', 'No longer fit: a.')]), 'crd/widgets');
    expect(known?.why).toContain('No longer fit: a.');
    expect(known?.todo).toContain('colony reconcile crd/widgets');
  });
});

describe('an offer to go back', () => {
  const undone = ['CrashLoopBackOff', 'ProgressDeadlineExceeded'];
  const hint = (given: Resource, canUndo: boolean) => whyStuck(given, 'widget/w1', NOW, { canUndo })?.todo ?? '';

  it.each(undone)('%s offers to undo the rollout only when there is one to undo', (reason) => {
    const given = resource([condition('Ready', 'False', reason)]);
    expect(hint(given, true)).toContain('correct the spec and apply, ');
    expect(hint(given, true)).toContain('go back: colony rollout undo widget/w1');
    expect(hint(given, false)).toMatch(/correct the spec and apply(\.|, or try again: .*)$/);
    for (const can of [true, false]) expect(hint(given, can)).not.toMatch(/[[\]]/);
    expect(hint(given, false)).not.toContain('undo');
  });

  it.each([
    {
      name: 'a release',
      of: (generation: number) => released(generation),
      else: 'Correct the spec and apply, or try again: colony command widget/w1 retry',
    },
    {
      name: 'a planner',
      of: (generation: number) => resource([condition('PlanFailed', 'True', 'PlanFailed')], { generation }),
      else: 'This is a fault in the kind, not in the spec: update the workers.',
    },
  ])('$name that failed offers the spec before only when there was one', (given) => {
    expect(hint(given.of(2), false)).toContain('colony rollback widget/w1');
    expect(hint(given.of(1), false)).toBe(given.else);
  });

  it('a definition that others do not fit offers the one before only when there was one', () => {
    const known = (generation: number) =>
      worthKnowing(resource([condition('InstancesFit', 'False', 'SomeDoNotFit')], { generation }), 'crd/widgets')?.todo;
    expect(known(2)).toMatch(/; or take the definition back: colony rollback crd\/widgets$/);
    expect(known(1)).toMatch(/then look again: colony reconcile crd\/widgets$/);
  });

  const released = (generation: number): Resource => ({
    ...resource([condition('Ready', 'False', 'ReleaseFailed')], { generation }),
    apiVersion: 'app.colonies.io/v1',
    kind: 'Application',
  });
});
