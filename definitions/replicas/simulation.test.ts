import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Sighting } from '../core/instance.ts';
import type { View } from '../core/plan.ts';
import { nodeOfLane } from './lanes.ts';
import { planReplicas } from './plan.ts';
import type { Replicated } from './replicated.ts';
import type { ReplicasReport } from './report.ts';
import { countOf } from './takeover.ts';
import { anything, type Happening, live, mend, orderly } from './test-double/schedule.ts';
import { replicated, Stage, template } from './test-double/stage.ts';

vi.mock('../core/digest.ts', async (original) => {
  const { digestOf } = await original<typeof import('../core/digest.ts')>();
  const known = new Map<string, string>();
  const remembered = (value: unknown): string => {
    const text = JSON.stringify(value);
    const digest = known.get(text) ?? digestOf(value);
    known.set(text, digest);
    return digest;
  };
  return { digestOf: remembered };
});

/** How many stories each property is told; without a number, as many as fit into a few seconds. */
const RUNS = Number(process.env.COLONY_SIM_RUNS ?? 0);
const LIMIT = { numRuns: RUNS || 2_000, ...(RUNS > 0 ? {} : { interruptAfterTimeLimit: 2_500 }) };
const TIMEOUT_MS = RUNS > 0 ? 3_600_000 : 60_000;
const HOUR_MS = 3_600_000;

const happenings = (acts: readonly unknown[], maxLength: number): fc.Arbitrary<Happening[]> =>
  fc.array(fc.tuple(fc.nat(acts.length - 1), fc.nat(999), fc.nat(999)), { maxLength });

const anyStrategy = fc.record({
  maxSurge: fc.constantFrom<number | string>(0, 1, 2, '25%', '100%'),
  maxUnavailable: fc.constantFrom<number | string>(0, 1, 2, '25%', '50%'),
  minReadySeconds: fc.constantFrom(0, 0, 5),
  onFailure: fc.constantFrom('Pause' as const, 'Rollback' as const),
});

const anySpec = fc.record({ replicas: fc.nat(5), nodes: fc.constantFrom(['a'], ['a'], ['a', 'b']), strategy: anyStrategy });

const sightingsOf = ({ observed }: View<Replicated>): (Sighting & { node: string })[] =>
  Object.entries(observed).flatMap(([lane, { value }]) => {
    const node = nodeOfLane(lane);
    return node === undefined ? [] : [{ ...(value as Sighting), node }];
  });

/** What must hold of every plan, whatever has happened. */
function judge({ plan, facts }: ReplicasReport, view: View<Replicated>): void {
  const sightings = sightingsOf(view);
  const lanes = plan.steps.map(({ about }) => about);
  expect(new Set(lanes).size).toBe(lanes.length);
  if (view.deleting) return;
  for (const { node, unreachable } of sightings) if (unreachable) expect(lanes).not.toContain(`instances/${node}`);
  const claim = (name: string) => plan.conditions?.find(({ type }) => type === name);
  const ready = claim('Ready');
  if (ready?.reason === 'ReplicasNotReady') expect(facts.readyReplicas).toBeLessThan(view.spec.replicas);
  if (ready?.status === 'True') {
    expect([claim('Available')?.status, claim('Degraded')?.status]).toEqual(['True', 'False']);
    expect([facts.updatedReplicas, facts.unavailableReplicas]).toEqual([view.spec.replicas, 0]);
    const digest = facts.targetRevision?.digest;
    const seen = sightings.flatMap(({ instances }) => instances);
    const isGood = seen.every((one) => one.digest === digest && ((one.state === 'running' && one.ready) || one.exit?.code === 0));
    const slots = new Set(seen.map(({ slot }) => slot));
    if (!isGood || [seen.length, slots.size].some((count) => count !== view.spec.replicas))
      throw new Error('says Ready although it is not');
  }
}

/** Thinking again, a little later, about the same gives the same. */
function thinkAgain({ plan, facts }: ReplicasReport, view: View<Replicated>): void {
  const now = Math.min(view.now + 60_000, (plan.wakeAt ?? Number.POSITIVE_INFINITY) - 1);
  // What worked last changes what the next pass knows.
  if (now <= view.now || view.status?.stableGeneration !== facts.stableGeneration) return;
  const status = { ...facts, ...(plan.observedGeneration === undefined ? {} : { observedGeneration: plan.observedGeneration }) };
  const again = planReplicas({ ...view, now, status: status as unknown as NonNullable<View['status']> }, (spec) => spec);
  expect(JSON.stringify(again.facts)).toBe(JSON.stringify(facts));
  expect(again.plan.steps.map(({ key }) => key)).toEqual(plan.steps.map(({ key }) => key));
}

function watched(spec: Replicated): Stage {
  const stage = new Stage(spec);
  stage.planned = (report, view) => {
    judge(report, view);
    if (stage.passes % 4 === 0) thinkAgain(report, view);
  };
  return stage;
}

/** The world is what the spec says, and nobody wants to do anything about it for hours. */
function expectSettled(stage: Stage): void {
  const { world, spec, facts } = stage;
  const isFine = world.boxes.every((box) => box.digest === facts.targetRevision?.digest && stage.available(box) && !box.handEdited);
  if (!isFine || world.boxes.length !== spec.replicas) throw new Error(`ended as ${JSON.stringify(world.boxes)}`);
  expect(stage.condition('Ready')).toMatchObject({ status: 'True' });
  expect(facts.problems ?? []).toEqual([]);
  const flights = stage.log.length;
  stage.wait(3 * HOUR_MS);
  expect(stage.log.length).toBe(flights);
}

describe('whatever happens', () => {
  it(
    'it settles after the last fault, stays so, and never says Ready without being so',
    () => {
      const property = fc.property(anySpec, happenings(anything, 25), fc.boolean(), (given, story, isPatient) => {
        const stage = watched(replicated(given));
        stage.pass();
        live(stage, story, anything);
        mend(stage);
        stage.say(false);
        const { rollout } = stage.facts;
        const isSound = stage.spec.template.env.MODE === 'good' && stage.spec.restart.policy === 'Always';
        const hasFailed = rollout?.state === 'Failed' || rollout?.state === 'RolledBack';
        if (!isPatient || !isSound || hasFailed) {
          stage.apply({ paused: false, template: template(9), restart: { ...stage.spec.restart, policy: 'Always' } });
        }
        stage.settle(2 * HOUR_MS);
        expectSettled(stage);
      });
      fc.assert(property, LIMIT);
    },
    TIMEOUT_MS,
  );

  it(
    'a delete leaves nothing behind',
    () => {
      const property = fc.property(anySpec, happenings(anything, 15), happenings(anything, 6), (given, story, epilogue) => {
        const stage = watched(replicated(given));
        stage.pass();
        live(stage, story, anything);
        for (const zombie of stage.world.zombies.splice(0)) zombie();
        stage.delete();
        live(stage, epilogue, [...orderly.slice(0, 11), ...orderly.slice(-1)]);
        mend(stage);
        stage.wait(HOUR_MS);
        expect(stage.isGone).toBe(true);
        expect(stage.world.boxes).toEqual([]);
      });
      fc.assert(property, LIMIT);
    },
    TIMEOUT_MS,
  );
});

describe('in an orderly world', () => {
  it(
    'there are never too few that work and never too many, however bad the new templates are',
    () => {
      const property = fc.property(anySpec, happenings(orderly, 25), (given, story) => {
        const stage = watched(replicated(given));
        const { replicas, strategy } = stage.spec;
        stage.settle();
        expect(stage.world.boxes.map(({ slot }) => slot).sort()).toEqual([0, 1, 2, 3, 4].slice(0, replicas));
        const surge = countOf(strategy.maxSurge, replicas, Math.ceil);
        const unavailable = countOf(strategy.maxUnavailable, replicas, Math.floor);
        const least = replicas - (surge + unavailable === 0 ? 1 : unavailable);
        stage.world.changed = () => {
          const { boxes } = stage.world;
          if (boxes.filter((box) => stage.available(box)).length < least) throw new Error('too few work');
          if (boxes.length > replicas + surge) throw new Error('too many are there');
          if (new Set(boxes.map(({ slot, digest }) => `${slot}/${digest}`)).size < boxes.length) throw new Error('one is there twice');
        };
        live(stage, story, orderly);
        stage.calm();
      });
      fc.assert(property, LIMIT);
    },
    TIMEOUT_MS,
  );
});

describe('where only flights are lost', () => {
  const acts: typeof orderly = [
    ...orderly.slice(0, 8),
    (stage, which) => stage.lose([...stage.flights.keys()][which % 2] ?? ''),
    (stage, which) => stage.lose([...stage.flights.keys()][which % 2] ?? ''),
    (stage, which) => stage.apply({ replicas: which % 4 }),
    (stage, which) => stage.apply({ replicas: which % 4 }),
    (stage, which) => stage.apply({ template: template(which % 3) }),
  ];

  it(
    'Ready is said of the world and not of what was last heard of it',
    () => {
      const property = fc.property(anySpec, happenings(acts, 20), (given, story) => {
        const stage = watched(replicated({ ...given, strategy: { ...given.strategy, progressDeadlineSeconds: 10 * HOUR_MS } }));
        const judged = stage.planned;
        stage.planned = (report, view) => {
          judged(report, view);
          const isReady = report.plan.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
          if (!isReady || stage.flights.size > 0) return;
          if (stage.world.boxes.length !== stage.spec.replicas) throw new Error(`says Ready with ${stage.world.boxes.length}`);
        };
        stage.pass();
        live(stage, story, acts);
        stage.settle();
        expectSettled(stage);
      });
      fc.assert(property, LIMIT);
    },
    TIMEOUT_MS,
  );
});
