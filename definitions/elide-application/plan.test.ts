import { describe, expect, it } from 'vitest';
import type { InstanceWish, Sighting } from '../core/instance.ts';
import type { Plan, View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Observation } from '../core/step.ts';
import { plan } from './plan.ts';
import { type ApplicationSpec, applicationSpec, applicationStatus } from './schema.ts';

const T0 = Date.UTC(2026, 0, 1);

const view = (fields: JsonObject, more: Partial<View> = {}): View<ApplicationSpec> => ({
  now: T0,
  apiVersion: 'cloudnative.elide.dev/v1',
  kind: 'Application',
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: {},
    annotations: {},
    ownerReferences: [],
    finalizers: [],
  },
  deleting: false,
  observed: {},
  failing: {},
  nudge: 0,
  status: undefined,
  tuning: { scheduleToStartMs: 1_000, firstRetryMs: 1_000 },
  ...more,
  spec: applicationSpec.parse({ replicas: 3, image: 'myorg/myapp:v1', ...fields }),
});

/** A node that does at once what is wished, with instances that are ready or not. */
function landed({ steps }: Plan, at: number, generation: number, ready: boolean): Record<string, Observation> {
  const answers = steps.map(({ key, about, activity, input }) => {
    const value = activity === 'resolveImage' ? { image: input.image, pin: { ref: `${input.image}@sha256:1` } } : world(input, ready);
    return [about, { key, generation, at, value }] as const;
  });
  return Object.fromEntries(answers);
}

const world = (input: JsonObject, ready: boolean): Sighting => ({
  asOf: { boot: 'b', seq: 1 },
  instances: (input as unknown as InstanceWish).revisions.flatMap(({ slots, digest, generation }) =>
    slots.map((slot) => ({ id: `${digest}-${slot}`, name: `a-${slot}`, slot, digest, generation, state: 'running', ready })),
  ),
});

/** As many passes as it takes to start all, and the view of the last. */
function started(fields: JsonObject, ready = true): { last: Plan; view: View<ApplicationSpec> } {
  let current = view(fields);
  let last = plan(current);
  for (let pass = 1; last.steps.length > 0 && pass < 10; pass += 1) {
    const observed = { ...current.observed, ...landed(last, T0 + pass, 1, ready) };
    current = view(fields, { now: T0 + pass, observed, status: last.status });
    last = plan(current);
  }
  return { last, view: current };
}

describe('the status of an Application of elide', () => {
  it('is pending at first', () => expect(plan(view({})).phase).toBe('Pending'));

  it('counts what was seen to be ready, and says so in words of elide', () => {
    const { last } = started({});
    expect(last).toMatchObject({ phase: 'Running', status: { replicas: 3, readyReplicas: 3 } });
    expect(last.conditions).toEqual(
      expect.arrayContaining([
        { type: 'Ready', status: 'True', reason: 'ReconciliationSucceeded', message: 'All replicas are ready' },
        expect.objectContaining({ type: 'Progressing', status: 'False', reason: 'ReplicaSetUpdated' }),
      ]),
    );
    expect(applicationStatus.safeParse(last.status).success).toBe(true);
  });

  it.each([
    { ready: true, phase: 'Running' },
    { ready: false, phase: 'Pending' },
  ])('stays $phase while nobody can see the node, for nothing is known to have failed', ({ ready, phase }) => {
    const { last, view: before } = started({}, ready);
    const lane = before.observed['instances/node'] as Observation<Sighting>;
    const blind = { ...lane, key: 'observed', value: { ...lane.value, unreachable: 'The engine does not answer.' } };
    const observed = { ...before.observed, 'instances/node': blind };
    expect(plan(view({}, { now: T0 + 60_000, observed, status: last.status })).phase).toBe(phase);
  });

  it('does not invent replicas that are not ready', () => {
    const { last } = started({}, false);
    expect(last).toMatchObject({ phase: 'Pending', status: { replicas: 3, readyReplicas: 0 } });
    expect(last.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
  });
});

describe('a change of the environment', () => {
  /** The wish of the first step after the change, once the image has been looked up, which is the same. */
  const wish = (strategy: string): InstanceWish => {
    const before = started({ strategy });
    const planned = (observed: View['observed']) =>
      plan(
        view(
          { strategy, config: { a: 'b' } },
          {
            now: T0 + 1_000,
            observed,
            status: before.last.status,
            stableSpec: before.view.spec,
            metadata: { ...before.view.metadata, generation: 2 },
          },
        ),
      );
    const { observed } = before.view;
    const lookedUp = landed(planned(observed), T0 + 1_000, 2, true);
    return planned({ ...observed, ...lookedUp }).steps[0]?.input as unknown as InstanceWish;
  };
  const freshSlots = ({ revisions }: InstanceWish) => revisions.filter(({ generation }) => generation === 2).flatMap(({ slots }) => slots);

  it('is rolled out beside what runs by RollingUpdate', () => {
    expect(freshSlots(wish('RollingUpdate'))).toHaveLength(1);
    expect(wish('RollingUpdate').remove).toEqual([]);
  });

  it('takes everything away first by Recreate', () => {
    expect(freshSlots(wish('Recreate'))).toEqual([]);
    expect(wish('Recreate').remove).toHaveLength(3);
  });
});
