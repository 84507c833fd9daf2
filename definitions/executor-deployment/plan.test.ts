import { describe, expect, it } from 'vitest';
import { annotations } from '../core/annotations.ts';
import type { Instance, InstanceWish, Sighting } from '../core/instance.ts';
import type { Plan, View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Observation } from '../core/step.ts';
import { executorDeployment } from './index.ts';
import { replicatedOf } from './replicated.ts';
import { type ExecutorDeploymentSpec, executorDeploymentSpec, executorDeploymentStatus } from './schema.ts';

const T0 = Date.UTC(2026, 0, 1);
const LANE = 'instances/node';
const { plan, commands, admit } = executorDeployment;

const spec = (fields: JsonObject = {}): ExecutorDeploymentSpec =>
  executorDeploymentSpec.parse({ runtime: 'local', command: ['sleep', '60'], replicas: 2, ...fields });

const view = (current: ExecutorDeploymentSpec, more: Partial<View> = {}): View<ExecutorDeploymentSpec> => ({
  now: T0,
  apiVersion: 'compute.colonies.io/v1',
  kind: 'ExecutorDeployment',
  metadata: {
    name: 'e',
    namespace: 'dev',
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
  spec: current,
});

/** What the node tells after the first step of a plan, with each instance as `change` says. */
function seen(first: Plan, change: (instance: Instance) => Instance = (instance) => instance): Record<string, Observation> {
  const revisions = (first.steps[0]?.input as InstanceWish | undefined)?.revisions ?? [];
  const instances = revisions.flatMap(({ slots, digest, generation }) =>
    slots.map((slot) =>
      change({
        id: `id-${slot}`,
        name: `e-${slot}`,
        slot,
        digest,
        generation,
        state: 'running',
        ready: true,
        startedAt: new Date(T0 + slot * 1_000).toISOString(),
      }),
    ),
  );
  const value: Sighting = { asOf: { boot: 'b', seq: 1 }, instances };
  return { [LANE]: { key: first.steps[0]?.key ?? '', generation: 1, at: T0 + 5_000, value } };
}

const started = (fields?: JsonObject, change?: (instance: Instance) => Instance): Plan =>
  plan(view(spec(fields), { now: T0 + 5_000, observed: seen(plan(view(spec(fields))), change) }));

function pausedView(observed: Record<string, Observation> = {}): View<ExecutorDeploymentSpec> {
  const whole = view(spec(), { now: T0 + 5_000, observed });
  return { ...whole, metadata: { ...whole.metadata, annotations: { [annotations.paused]: 'true' } } };
}

describe('the status of an ExecutorDeployment', () => {
  it('has the names that ColonyOS gives it, and all that the planner must find again', () => {
    const { status, phase, steps } = started();
    expect(steps).toEqual([]);
    expect(phase).toBe('Running');
    expect(status).toMatchObject({
      ready: 2,
      available: 2,
      unavailable: 0,
      replicasReady: '2/2',
      deployedExecutors: ['id-0', 'id-1'],
      readyReplicas: 2,
      stableGeneration: 1,
      rollout: { state: 'Complete' },
    });
    expect(status).not.toHaveProperty('message');
    expect(executorDeploymentStatus.safeParse(status).success).toBe(true);
  });

  it('says when something last happened to an instance, not when somebody last looked', () => {
    const observed = seen(plan(view(spec())));
    const first = plan(view(spec(), { now: T0 + 5_000, observed }));
    const later = plan(view(spec(), { now: T0 + 3_600_000, observed, status: first.status }));
    expect(first.status.lastUpdateTime).toBe('2026-01-01T00:00:05.000Z');
    expect(later.status).toEqual(first.status);
  });

  it.each([
    { name: 'nothing has come yet', now: plan(view(spec())), phase: 'Pending' },
    { name: 'none runs and it is told why', now: started({}, (one) => ({ ...one, ready: false, unhealthy: 'it hangs' })), phase: 'Failed' },
    {
      name: 'one of two is in trouble',
      now: started({}, (one) => (one.slot === 0 ? one : { ...one, ready: false, unhealthy: 'it hangs' })),
      phase: 'Degraded',
    },
    { name: 'they get ready', now: started({}, (one) => ({ ...one, ready: one.slot === 0 })), phase: 'Progressing' },
    {
      name: 'all have done their work',
      now: started({ restartPolicy: 'OnFailure' }, (one) => ({
        ...one,
        state: 'exited',
        ready: false,
        exit: { code: 0, at: '2026-01-01T00:00:04Z' },
      })),
      phase: 'Succeeded',
    },
    { name: 'none is wished', now: started({ replicas: 0 }), phase: 'Running' },
    { name: 'something is to be done while all of it is paused', now: plan(pausedView()), phase: 'Paused' },
    { name: 'nothing is to be done while all of it is paused', now: plan(pausedView(seen(plan(view(spec()))))), phase: 'Running' },
  ])('is $phase when $name', ({ now, phase }) => expect(now.phase).toBe(phase));

  it('is Unknown, not Failed, when nobody can see the node: what was last seen worked', () => {
    const observed = seen(plan(view(spec())));
    const before = plan(view(spec(), { now: T0 + 5_000, observed }));
    const lane = observed[LANE] as Observation<Sighting>;
    const blind = { ...lane, key: 'observed', value: { ...lane.value, unreachable: 'The engine does not answer.' } };
    const now = plan(view(spec(), { now: T0 + 9_000, observed: { [LANE]: blind }, status: before.status }));
    expect(now).toMatchObject({ phase: 'Unknown', status: { replicasReady: '2/2', message: expect.stringContaining('does not answer') } });
    const claims = now.conditions?.filter(({ type }) => type !== 'Progressing').map(({ type, status, reason }) => [type, status, reason]);
    expect(claims).toEqual(['Ready', 'Available', 'Degraded'].map((type) => [type, 'Unknown', 'NodeUnreachable']));
  });

  it.each([
    { name: 'something runs', observed: seen(plan(view(spec({ replicas: 1 })))), phase: 'Unknown' },
    { name: 'nothing was ever seen', observed: {}, phase: 'Pending' },
  ])('is $phase when a step cannot be carried out because nobody answers, and $name', ({ observed, phase }) => {
    const now = T0 + 9_000;
    const [step] = plan(view(spec(), { now, observed })).steps;
    const failing = { key: step?.key ?? '', reason: 'RuntimeUnreachable', message: 'the engine sleeps', count: 1, since: T0, retryAt: now };
    const told = plan(view(spec(), { now, observed, failing: { [LANE]: failing } }));
    expect(told).toMatchObject({ phase, status: { message: 'the engine sleeps.' } });
    expect(told.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'Unknown', reason: 'RuntimeUnreachable' });
  });

  it('says why and until when, when a registry does not answer the first time', () => {
    const first = spec({ runtime: 'docker', image: 'nowhere/x:1' });
    const [step] = plan(view(first)).steps;
    const failure = { reason: 'RegistryUnreachable', message: 'the registry of nowhere/x:1 does not answer' };
    const failing = { image: { key: step?.key ?? '', ...failure, count: 1, since: T0, retryAt: T0 + 4_000 } };
    expect(plan(view(first, { failing }))).toMatchObject({
      observedGeneration: 1,
      status: {
        message: '0 of 2 replicas are ready: the registry of nowhere/x:1 does not answer.',
        nextTryTime: '2026-01-01T00:00:04.000Z',
      },
    });
  });

  it.each([
    { limits: { cpu: '500m' }, held: 'False' },
    { limits: { config: { resources: { memory: '64Mi' } } }, held: 'False' },
    { limits: {}, held: undefined },
  ])('warns that a process is held to no limits: $limits', ({ limits, held }) => {
    const limited = started(limits).conditions?.find(({ type }) => type === 'LimitsHeld');
    expect([limited?.status, limited?.reason]).toEqual([held, held && 'RuntimeLocal']);
  });

  it('says in a sentence why it is not as it should be', () => {
    const { status } = started({}, (one) => ({ ...one, ready: false, unhealthy: 'it hangs' }));
    expect(status.message).toContain('it hangs');
  });
});

describe('a runtime that no node has', () => {
  it.each([{ deleting: false }, { deleting: true }])('waits for another one and makes nothing (deleting: $deleting)', ({ deleting }) => {
    const waiting = plan(view(spec({ runtime: 'hpc' }), { deleting }));
    expect(waiting).toMatchObject({
      steps: [],
      phase: 'Pending',
      status: { ready: 0, replicasReady: '0/2', message: 'No node has runtime hpc; name one of docker, local, kubernetes.' },
      conditions: [
        { type: 'Ready', status: 'False', reason: 'RuntimeUnavailable' },
        { type: 'Degraded', status: 'True', reason: 'RuntimeUnavailable' },
      ],
    });
  });

  it('may be corrected, but one that has run may not be changed', () => {
    const context = { actor: 'a', now: T0 };
    expect(admit?.(spec(), view(spec({ runtime: 'lambda' })), context).issues).toBeUndefined();
    expect(admit?.(spec({ runtime: 'docker', image: 'x' }), view(spec()), context).issues).toEqual([
      { path: 'spec.runtime', message: expect.stringContaining('cannot be changed: it is local') },
    ]);
  });
});

describe('the commands', () => {
  const context = { actor: 'a', now: T0 };
  const run = (name: string, args: JsonObject = {}, current = spec()) => commands?.[name]?.(view(current), args, context);

  it('scale writes the number and nothing else', () => {
    expect(run('scale', { replicas: 5 })).toEqual({ spec: { ...spec(), replicas: 5 }, answer: { replicas: 5, before: 2 } });
    expect(run('scale', { replicas: -1 })).toEqual({ issues: [{ path: 'args.replicas', message: 'must be ≥ 0 (got -1)' }] });
    expect(run('scale', { to: 5 })?.issues?.map(({ path }) => path)).toEqual(['args.replicas', 'args.to']);
  });

  it('restart writes a time, that of the caller if there is one', () => {
    expect(run('restart')?.spec).toMatchObject({ restartedAt: '2026-01-01T00:00:00.000Z' });
    expect(run('restart', { at: '2026-02-03T04:05:06Z' })?.spec).toMatchObject({ restartedAt: '2026-02-03T04:05:06Z' });
    expect(run('restart', { at: 'now' })?.issues?.[0]?.path).toBe('args.at');
  });

  it('pause and resume say whether they changed anything; a failed update that is tried again is a change', () => {
    const paused = { observed: { rollout: { key: 'command', generation: 1, at: T0, value: { paused: true, at: T0 } } } };
    const failed = { status: { rollout: { state: 'Failed' } } };
    const changed = (name: string, more: Partial<View>) => commands?.[name]?.(view(spec(), more), {}, context).answer;
    expect(changed('pause', paused)).toMatchObject({ changed: false });
    expect(changed('resume', paused)).toMatchObject({ changed: true });
    expect(changed('resume', failed)).toMatchObject({ changed: true });
  });

  it('pause and resume are remembered beside the spec; resume takes back what the spec says', () => {
    expect(run('pause')).toEqual({ remember: { rollout: { paused: true, at: T0 } }, answer: { paused: true, changed: true } });
    expect(run('resume')).toEqual({ remember: { rollout: { paused: false, at: T0 } }, answer: { paused: false, changed: false } });
    expect(run('resume', {}, spec({ paused: true }))?.spec).toEqual(spec({ paused: false }));
    expect(run('resume', {}, spec({ paused: true }))?.answer).toEqual({ paused: false, changed: true });
    expect(run('pause', { until: 'noon' })?.issues?.[0]?.path).toBe('args.until');
  });

  describe('undo', () => {
    const kept = (...specs: readonly ExecutorDeploymentSpec[]) =>
      specs.map((one, index) => ({ generation: index + 1, spec: one as JsonObject, at: '2026-01-01T00:00:00Z', by: 'a' }));
    const undo = (specs: readonly ExecutorDeploymentSpec[], args: JsonObject = {}) =>
      commands?.undo?.(view(specs.at(-1) ?? spec()), args, { ...context, revisions: kept(...specs) });

    it('goes back to the template before, past a scaling, and the scaling stays', () => {
      const specs = [spec({ env: { V: '1' } }), spec({ env: { V: '2' } }), spec({ env: { V: '2' }, replicas: 4 })];
      expect(undo(specs)).toEqual({ spec: spec({ env: { V: '1' }, replicas: 4 }), answer: { rolledBackTo: 1 } });
    });

    it('changes nothing but the template, whatever else is different', () => {
      const earlier = spec({ strategy: { type: 'Recreate' }, paused: true, config: { restartPolicy: 'Never', env: { V: '1' } } });
      const now = spec({
        replicas: 7,
        placement: { nodes: ['a', 'b'] },
        config: { restartPolicy: 'OnFailure' },
        strategy: { minReadySeconds: 3 },
      });
      const undone = undo([earlier, now])?.spec as ExecutorDeploymentSpec;
      expect(executorDeploymentSpec.parse(undone)).toEqual(undone);
      expect(replicatedOf(undone, {})).toEqual({ ...replicatedOf(now, {}), template: replicatedOf(earlier, {}).template });
    });

    it('goes to the template of the generation that is named', () => {
      const specs = [spec({ env: { V: '1' } }), spec({ env: { V: '2' } }), spec({ env: { V: '3' }, replicas: 1 })];
      expect(undo(specs, { to: 1 })?.spec).toEqual(spec({ env: { V: '1' }, replicas: 1 }));
      expect(undo(specs, { to: 9 })?.issues).toEqual([{ path: 'args.to', message: 'no such revision is kept; kept generations: 1, 2, 3' }]);
    });

    it('says so when there is nothing to go back to', () => {
      const specs = [spec(), spec({ replicas: 5 })];
      expect(undo(specs)?.refuse).toEqual({
        type: 'Conflict',
        message: 'there is no rollout to undo: no generation that is kept (1, 2) has another template',
      });
      expect(undo(specs, { to: 1 })?.refuse?.message).toBe('generation 1 has the template that is in force: nothing would change');
    });
  });
});
