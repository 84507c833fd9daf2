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
const conditions = (given: View<DefinitionSpec>, builtIn: readonly string[] = []) =>
  Object.fromEntries((planDefinition(given, builtIn).conditions ?? []).map(({ type, status }) => [type, status]));

describe('planDefinition', () => {
  it('brings a new generation to all instances', () => {
    const { steps, status } = planDefinition(view(), []);
    expect(steps).toMatchObject([{ key: 'refresh/2', about: 'instances', activity: 'refreshInstances', with: ['metadata', 'spec'] }]);
    expect(status).toEqual({ apiVersion: 'example.com/v1', kind: 'Widget', handler: 'widget-maker', builtIn: false });
    expect(conditions(view())).toEqual({ Established: 'True', InstancesFit: 'Unknown' });
  });

  it('settles when that is done', () => {
    const done = view({ observed: seen('refresh/2', { instances: 3, notFitting: [] }) });
    expect(planDefinition(done, []).steps).toEqual([]);
    expect(conditions(done)).toEqual({ Established: 'True', InstancesFit: 'True' });
  });

  it('does not tell how many instances there are: nobody would count again when the next one comes', () => {
    const done = view({ observed: seen('refresh/2', { instances: 3, notFitting: [] }) });
    expect(planDefinition(done, []).status).toEqual(planDefinition(view(), []).status);
    expect(resourceDefinition(() => []).columns?.map(({ name }) => name)).not.toContain('Instances');
  });

  it('looks again for the next generation, and when somebody asks', () => {
    const observed = seen('refresh/1', { instances: 3, notFitting: [] });
    expect(planDefinition(view({ observed }), []).steps).toMatchObject([{ key: 'refresh/2' }]);
    expect(planDefinition(view({ observed: seen('refresh/2', {}), nudge: 1 }), []).steps).toMatchObject([{ key: 'refresh/2/n1' }]);
  });

  it('says which instances no longer fit, in the same words whatever their order', () => {
    const notFitting = [
      { name: 'b', namespace: 'x', issues: [] },
      { name: 'a', issues: [] },
    ];
    const message = (list: unknown[]) =>
      planDefinition(view({ observed: seen('refresh/2', { instances: 30, notFittingCount: 22, notFitting: list }) }), []).conditions?.[1];
    expect(message(notFitting)).toEqual({
      type: 'InstancesFit',
      status: 'False',
      reason: 'SomeDoNotFit',
      message: 'No longer fit: a, x/b and 20 more.',
    });
    expect(message([...notFitting].reverse())).toEqual(message(notFitting));
  });

  it('only notes a kind that is built in', () => {
    for (const deleting of [false, true]) expect(planDefinition(view({ deleting }), ['v1']).steps).toEqual([]);
    expect(conditions(view(), ['v1'])).toEqual({ Established: 'True', BuiltIn: 'True' });
  });

  it('names the version that colony has of a built-in kind, not the one that it is written in', () => {
    const { conditions: claims, status } = planDefinition(view({ spec: { ...spec, version: 'v2' } }), ['v1']);
    expect(claims?.map(({ message }) => message)).toEqual([
      'Resources of example.com/v1 Widget can be applied.',
      'Colony handles Widget of example.com itself, in version v1; the definition is kept and changes nothing.',
    ]);
    expect(status).toMatchObject({ apiVersion: 'example.com/v1' });
  });

  it('says that another definition has its kind, and what to do', () => {
    const taken = view({ observed: seen('refresh/2', { instances: 0, notFitting: [], takenBy: 'gadgets.example.com' }) });
    expect(planDefinition(taken, []).conditions?.[0]).toEqual({
      type: 'Established',
      status: 'False',
      reason: 'KindTaken',
      message:
        'Widget of example.com is defined by gadgets.example.com already, and this definition changes nothing. Delete it; or delete that one, then: colony reconcile crd/widgets.example.com',
    });
  });

  it('waits with its end until the last instance is gone', () => {
    const deleting = view({ deleting: true, observed: seen('refresh/2', { instances: 3, notFitting: [] }) });
    expect(planDefinition(deleting, [])).toMatchObject({
      steps: [{ activity: 'awaitNoInstances', about: 'instances' }],
      leftBehind: [expect.any(String)],
    });
    expect(planDefinition(view({ deleting: true, observed: seen('gone/u', { instances: 0 }) }), []).steps).toEqual([]);
  });

  it('goes on within seconds when the process dies that looked at the instances', () => {
    const gone = view({ deleting: true, observed: seen('refresh/2', { instances: 3, notFitting: [] }) });
    const steps = [view(), gone].flatMap((given) => planDefinition(given, []).steps);
    expect(steps.map(({ activity, timeouts }) => [activity, timeouts.heartbeatMs])).toEqual([
      ['refreshInstances', 5_000],
      ['awaitNoInstances', 5_000],
    ]);
  });

  it('survives a result it does not know', () => {
    for (const value of [null, undefined, 5, [], {}, { instances: 'x' }, { instances: 1, notFitting: null }]) {
      expect(planDefinition(view({ observed: seen('refresh/2', value) }), []).steps).toEqual([]);
    }
  });
});
