import { describe, expect, it } from 'vitest';
import type { View } from '../core/plan.ts';
import { resourceDefinition } from './index.ts';
import { planDefinition } from './plan.ts';
import type { DefinitionSpec } from './schema.ts';

const spec: DefinitionSpec = {
  group: 'example.com',
  version: 'v1',
  names: { kind: 'Widget', listKind: 'WidgetList', singular: 'widget', plural: 'widgets', shortNames: [] },
  scope: 'Namespaced',
  handler: { executorType: 'widget-maker', functionName: 'reconcile' },
  columns: [],
};

function view(more: Partial<View<DefinitionSpec>> = {}): View<DefinitionSpec> {
  return {
    now: 0,
    apiVersion: 'colonies.io/v1',
    kind: 'ResourceDefinition',
    metadata: {
      name: 'widgets.example.com',
      uid: 'u',
      resourceVersion: '1',
      generation: 2,
      creationTimestamp: '',
      labels: {},
      annotations: {},
      ownerReferences: [],
      finalizers: [],
    },
    spec,
    deleting: false,
    observed: {},
    failing: {},
    nudge: 0,
    status: undefined,
    tuning: { scheduleToStartMs: 1, firstRetryMs: 1 },
    ...more,
  };
}

const seen = (key: string, value: unknown) => ({ instances: { key, generation: 2, at: 0, value } });
const conditions = (given: View<DefinitionSpec>, isBuiltIn = false) =>
  Object.fromEntries((planDefinition(given, isBuiltIn).conditions ?? []).map(({ type, status }) => [type, status]));

describe('planDefinition', () => {
  it('brings a new generation to all instances', () => {
    const { steps, status } = planDefinition(view(), false);
    expect(steps).toMatchObject([{ key: 'refresh/2', about: 'instances', activity: 'refreshInstances', with: ['metadata', 'spec'] }]);
    expect(status).toEqual({ apiVersion: 'example.com/v1', kind: 'Widget', handler: 'widget-maker', builtIn: false });
    expect(conditions(view())).toEqual({ Established: 'True', InstancesFit: 'Unknown' });
  });

  it('settles when that is done', () => {
    const done = view({ observed: seen('refresh/2', { instances: 3, notFitting: [] }) });
    expect(planDefinition(done, false).steps).toEqual([]);
    expect(conditions(done)).toEqual({ Established: 'True', InstancesFit: 'True' });
  });

  it('does not tell how many instances there are: nobody would count again when the next one comes', () => {
    const done = view({ observed: seen('refresh/2', { instances: 3, notFitting: [] }) });
    expect(planDefinition(done, false).status).toEqual(planDefinition(view(), false).status);
    expect(resourceDefinition(() => false).columns?.map(({ name }) => name)).not.toContain('Instances');
  });

  it('looks again for the next generation, and when somebody asks', () => {
    const observed = seen('refresh/1', { instances: 3, notFitting: [] });
    expect(planDefinition(view({ observed }), false).steps).toMatchObject([{ key: 'refresh/2' }]);
    expect(planDefinition(view({ observed: seen('refresh/2', {}), nudge: 1 }), false).steps).toMatchObject([{ key: 'refresh/2/n1' }]);
  });

  it('says which instances no longer fit, in the same words whatever their order', () => {
    const notFitting = [
      { name: 'b', namespace: 'x', issues: [] },
      { name: 'a', issues: [] },
    ];
    const message = (list: unknown[]) =>
      planDefinition(view({ observed: seen('refresh/2', { instances: 30, notFittingCount: 22, notFitting: list }) }), false)
        .conditions?.[1];
    expect(message(notFitting)).toEqual({
      type: 'InstancesFit',
      status: 'False',
      reason: 'SomeDoNotFit',
      message: 'No longer fit: a, x/b and 20 more.',
    });
    expect(message([...notFitting].reverse())).toEqual(message(notFitting));
  });

  it('only notes a kind that is built in', () => {
    for (const deleting of [false, true]) expect(planDefinition(view({ deleting }), true).steps).toEqual([]);
    expect(conditions(view(), true)).toEqual({ Established: 'True', BuiltIn: 'True' });
  });

  it('waits with its end until the last instance is gone', () => {
    const deleting = view({ deleting: true, observed: seen('refresh/2', { instances: 3, notFitting: [] }) });
    expect(planDefinition(deleting, false)).toMatchObject({
      steps: [{ activity: 'awaitNoInstances', about: 'instances' }],
      leftBehind: [expect.any(String)],
    });
    expect(planDefinition(view({ deleting: true, observed: seen('gone/u', { instances: 0 }) }), false).steps).toEqual([]);
  });

  it('goes on within seconds when the process dies that looked at the instances', () => {
    const gone = view({ deleting: true, observed: seen('refresh/2', { instances: 3, notFitting: [] }) });
    const steps = [view(), gone].flatMap((given) => planDefinition(given, false).steps);
    expect(steps.map(({ activity, timeouts }) => [activity, timeouts.heartbeatMs])).toEqual([
      ['refreshInstances', 5_000],
      ['awaitNoInstances', 5_000],
    ]);
  });

  it('survives a result it does not know', () => {
    for (const value of [null, undefined, 5, [], {}, { instances: 'x' }, { instances: 1, notFitting: null }]) {
      expect(planDefinition(view({ observed: seen('refresh/2', value) }), false).steps).toEqual([]);
    }
  });
});
