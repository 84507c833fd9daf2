import { describe, expect, it } from 'vitest';
import type { Instance, InstanceWish, Sighting } from '../core/instance.ts';
import type { Plan, View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import { executorDeployment } from '../executor-deployment/index.ts';
import { type ExecutorDeploymentSpec, executorDeploymentSpec } from '../executor-deployment/schema.ts';

const T0 = Date.UTC(2026, 0, 1);
const LANE = 'instances/node';
const { plan } = executorDeployment;

const accepted = (fields: JsonObject = {}): ExecutorDeploymentSpec =>
  executorDeploymentSpec.parse({ runtime: 'kubernetes', image: 'busybox:1.36', replicas: 2, ...fields });

const wishOf = ({ steps }: Plan): InstanceWish => steps[0]?.input as unknown as InstanceWish;
const digestOf = (current: Plan): string => wishOf(current).revisions[0]?.digest ?? '';

const pod = (digest: string, slot: number, more: Partial<Instance> = {}): Instance => ({
  id: `pod-${digest.slice(0, 4)}-${slot}`,
  name: `e-${slot}`,
  slot,
  digest,
  generation: 1,
  state: 'running',
  ready: true,
  startedAt: new Date(T0).toISOString(),
  readyAt: new Date(T0 + 1_000).toISOString(),
  ...more,
});

/** One resource, pass by pass, as its workflow would keep it. */
class Life {
  now = T0;
  generation = 1;
  seq = 0;
  nudge = 0;
  deleting = false;
  status: View['status'];
  stableSpec: JsonObject | undefined;
  observed: Record<string, View['observed'][string]> = {};

  constructor(public spec: ExecutorDeploymentSpec) {}

  pass(): Plan {
    const { now, generation, nudge, observed, status, spec, deleting, stableSpec } = this;
    const found = plan({
      now,
      apiVersion: 'compute.colonies.io/v1',
      kind: 'ExecutorDeployment',
      metadata: {
        name: 'e',
        namespace: 'dev',
        uid: 'u',
        resourceVersion: '1',
        generation,
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: {},
        annotations: {},
        ownerReferences: [],
        finalizers: [],
      },
      deleting,
      observed,
      failing: {},
      nudge,
      status,
      tuning: { scheduleToStartMs: 1_000, firstRetryMs: 1_000 },
      spec,
      ...(stableSpec ? { stableSpec } : {}),
    });
    this.status = found.status as View['status'];
    return found;
  }

  change(fields: JsonObject): void {
    if (this.status?.stableGeneration === this.generation) this.stableSpec = this.spec as unknown as JsonObject;
    this.spec = accepted(fields);
    this.generation += 1;
  }

  /** The flight of the first step lands. */
  land({ steps }: Plan, instances: readonly Instance[], more: Partial<Sighting> = {}): Plan {
    return this.see(steps[0]?.key ?? '', instances, more, steps[0]?.about);
  }

  news(instances: readonly Instance[], more: Partial<Sighting> = {}): Plan {
    return this.see('observed', instances, more);
  }

  private see(key: string, instances: readonly Instance[], more: Partial<Sighting>, lane = LANE): Plan {
    this.now += 1_000;
    this.seq += 1;
    const value: Sighting = { asOf: { boot: 'b', seq: this.seq }, instances, ...more };
    this.observed = { ...this.observed, [lane]: { key, generation: this.generation, at: this.now, value } };
    return this.pass();
  }
}

const claim = ({ conditions = [] }: Plan, type: string) => conditions.find((one) => one.type === type);

function settled(fields: JsonObject = {}): { life: Life; digest: string; now: Plan } {
  const life = new Life(accepted(fields));
  const first = life.pass();
  const digest = digestOf(first);
  const count = life.spec.replicas;
  return {
    life,
    digest,
    now: life.land(
      first,
      Array.from({ length: count }, (_, slot) => pod(digest, slot)),
    ),
  };
}

describe('a runtime that runs itself', () => {
  it('is handed the whole wish in one step: revision, replicas, strategy', () => {
    const first = new Life(accepted({ replicas: 3, strategy: { type: 'Recreate', minReadySeconds: 5 } })).pass();
    expect(first.steps).toHaveLength(1);
    expect(first.steps[0]).toMatchObject({ activity: 'syncInstances', about: LANE, queue: 'colony-node-node', reason: 'HandingOver' });
    expect(wishOf(first)).toMatchObject({
      runtime: 'kubernetes',
      remove: [],
      restart: [],
      revisions: [{ generation: 1, slots: [], template: { image: 'busybox:1.36', kubernetes: {} } }],
      delegated: { replicas: 3, strategy: { type: 'Recreate' }, minReadySeconds: 5, progressDeadlineSeconds: 600, paused: false },
    });
  });

  it('asks for no image: the cluster pulls', () => {
    expect(new Life(accepted()).pass().steps.map(({ activity }) => activity)).toEqual(['syncInstances']);
  });

  it('is Ready when all pods of the wanted revision are, and then nothing is left to do', () => {
    const { now } = settled();
    expect(now).toMatchObject({ steps: [], phase: 'Running' });
    expect(now.wakeAt).toBeUndefined();
    expect(claim(now, 'Ready')).toMatchObject({ status: 'True', reason: 'AllReplicasReady' });
    expect(now.status).toMatchObject({ readyReplicas: 2, stableGeneration: 1, rollout: { state: 'Complete' } });
  });

  it('remembers what was handed over when news come instead of answers', () => {
    const { life, digest } = settled();
    const now = life.news([pod(digest, 0), pod(digest, 1, { ready: false, notReady: 'its readiness probe has not passed yet' })]);
    expect(now.steps).toEqual([]);
    expect(claim(now, 'Ready')).toMatchObject({ status: 'False', reason: 'ReplicasNotReady' });
    expect(claim(life.news([pod(digest, 0), pod(digest, 1)]), 'Ready')?.status).toBe('True');
  });

  it('heals nothing itself: an ended pod is no step', () => {
    const { life, digest } = settled();
    const exit = { code: 1, at: new Date(T0).toISOString(), log: 'no' };
    const now = life.news([pod(digest, 0), pod(digest, 1, { state: 'exited', ready: false, restarts: 3, exit })]);
    expect(now.steps).toEqual([]);
    expect(claim(now, 'Degraded')).toMatchObject({ status: 'True', reason: 'CrashLoopBackOff' });
    expect(now.status).toMatchObject({ instances: [{}, { restarts: 3, lastExit: { code: 1 } }] });
  });

  it.each([
    { name: 'replicas', fields: { replicas: 5 }, isSame: true },
    { name: 'strategy', fields: { strategy: { minReadySeconds: 3 } }, isSame: true },
    { name: 'image', fields: { image: 'busybox:1.37' }, isSame: false },
  ])('a change of $name is handed over, once', ({ fields, isSame }) => {
    const { life, digest } = settled();
    life.change(fields);
    const now = life.pass();
    expect(now.steps).toHaveLength(1);
    expect(digestOf(now) === digest).toBe(isSame);
    expect(claim(now, 'Ready')?.status).toBe('False');
    expect(life.land(now, [pod(digest, 0), pod(digest, 1)]).steps).toEqual([]);
  });

  it('is not Ready while pods of another revision are there', () => {
    const { life, digest } = settled();
    life.change({ image: 'busybox:1.37' });
    const step = life.pass();
    const next = digestOf(step);
    const now = life.land(step, [pod(next, 0), pod(next, 1), pod(digest, 2)]);
    expect(claim(now, 'Ready')?.status).toBe('False');
    expect(claim(life.news([pod(next, 0), pod(next, 1)]), 'Ready')?.status).toBe('True');
  });

  it('says what is wrong with a pod that the cluster cannot start', () => {
    const { life, digest } = settled();
    const stuck = { reason: 'ImageMissing', message: 'image busybox:1.36 cannot be pulled by the cluster' } as const;
    const now = life.news([pod(digest, 0), pod(digest, 1, { state: 'created', ready: false, stuck })]);
    expect(claim(now, 'Ready')).toMatchObject({ status: 'False', reason: 'ImageMissing' });
    expect(now).toMatchObject({ phase: 'Degraded', steps: [] });
  });

  it('a node without the runtime is told once, asked again later, and at once when somebody there speaks', () => {
    const life = new Life(accepted());
    const problems = [{ reason: 'RuntimeUnavailable', message: 'set KUBECONFIG' }] as const;
    const now = life.land(life.pass(), [], { problems });
    expect(now).toMatchObject({ steps: [], phase: 'Pending', wakeAt: life.now + 300_000 });
    expect(claim(now, 'Ready')).toMatchObject({ status: 'False', reason: 'RuntimeUnavailable' });
    expect(life.news([]).steps).toHaveLength(1);
  });

  it('what was refused is over with the next good spec', () => {
    const life = new Life(accepted({ image: 'bad' }));
    const now = life.land(life.pass(), [], { problems: [{ reason: 'Blocked', message: 'no' }] });
    expect(now.steps).toEqual([]);
    life.change({});
    const next = life.pass();
    expect(next.steps).toHaveLength(1);
    expect(claim(next, 'Degraded')?.status).toBe('False');
  });

  it('is handed over again, ever more rarely, when somebody has deleted it', () => {
    const { life, digest } = settled();
    expect(life.news([]).steps).toHaveLength(1);
    const gaps = Array.from({ length: 12 }, () => {
      const due = life.pass();
      const landed = due.steps.length > 0 ? life.land(due, []) : due;
      const gap = (landed.wakeAt ?? 0) - life.now;
      life.now = landed.wakeAt ?? life.now;
      return gap;
    });
    expect(gaps.slice(0, 3)).toEqual([2_000, 4_000, 8_000]);
    expect(gaps.at(-1)).toBe(300_000);
    const back = life.land(life.pass(), [pod(digest, 0), pod(digest, 1)]);
    expect(claim(back, 'Ready')?.status).toBe('True');
  });

  it('is handed over again when somebody changed a pod by hand, and when somebody asks', () => {
    const { life, digest } = settled();
    life.news([pod(digest, 0), pod(digest, 1, { handEdited: 'somebody changed its image to x' })]);
    life.now += 60_000;
    expect(life.pass().steps).toHaveLength(1);
    const other = settled();
    other.life.nudge = 1;
    const asked = other.life.pass();
    expect(asked.steps).toHaveLength(1);
    expect(other.life.land(asked, [pod(other.digest, 0), pod(other.digest, 1)]).steps).toEqual([]);
  });

  it('goes back to what worked when an update fails and the spec says so', () => {
    const { life, digest } = settled({ strategy: { onFailure: 'Rollback', progressDeadlineSeconds: 30 } });
    life.change({ image: 'busybox:1.37', strategy: { onFailure: 'Rollback', progressDeadlineSeconds: 30 } });
    const step = life.pass();
    life.land(step, [pod(digest, 0), pod(digest, 1), pod(digestOf(step), 2, { ready: false })]);
    life.now += 31_000;
    life.pass();
    const back = life.pass();
    expect(digestOf(back)).toBe(digest);
    const now = life.land(back, [pod(digest, 0), pod(digest, 1)]);
    expect(claim(now, 'Ready')).toMatchObject({ status: 'False', reason: 'RolledBack' });
    expect(now.steps).toEqual([]);
  });

  it('does nothing while the cluster cannot be seen', () => {
    const { life, digest } = settled();
    life.change({ replicas: 5 });
    const now = life.news([pod(digest, 0), pod(digest, 1)], { unreachable: 'its kubernetes runtime does not answer.' });
    expect(now.steps).toEqual([]);
    expect(claim(now, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'NodeUnreachable' });
  });

  it('counts a pod once it was ready for long enough', () => {
    const { life, now } = settled({ strategy: { minReadySeconds: 10 } });
    expect(claim(now, 'Ready')?.status).toBe('False');
    expect(now.wakeAt).toBe(T0 + 11_000);
    life.now = T0 + 11_000;
    expect(claim(life.pass(), 'Ready')?.status).toBe('True');
  });

  it('leaves the node it was on when the spec names another', () => {
    const { life, digest } = settled();
    life.change({ placement: { nodes: ['other'] } });
    const steps = life.pass().steps;
    expect(steps.map(({ about, input }) => [about, (input as unknown as InstanceWish).remove])).toEqual([
      [LANE, 'all'],
      ['instances/other', []],
    ]);
    expect(life.pass().steps).toHaveLength(2);
    const [leave, go] = steps;
    life.land({ steps: leave ? [leave] : [] } as unknown as Plan, []);
    const now = life.land({ steps: go ? [go] : [] } as unknown as Plan, [pod(digest, 0), pod(digest, 1)]);
    expect(now.steps).toEqual([]);
    expect(now.status.nodes).toEqual(['other']);
  });

  it('deleting removes everything, and is over when nothing is left', () => {
    const { life } = settled();
    life.deleting = true;
    const now = life.pass();
    expect(wishOf(now)).toMatchObject({ runtime: 'kubernetes', remove: 'all' });
    expect(life.land(now, []).steps).toEqual([]);
  });
});
