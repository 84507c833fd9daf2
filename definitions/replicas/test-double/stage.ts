import type { ImageAnswer, InstanceWish, Sighting } from '../../core/instance.ts';
import type { View } from '../../core/plan.ts';
import type { ConditionClaim, JsonObject, Status } from '../../core/resource.ts';
import type { Failing, Observation, Step } from '../../core/step.ts';
import type { Template } from '../../core/template.ts';
import { laneOf, nodeOfLane, ROLLOUT } from '../lanes.ts';
import { planReplicas } from '../plan.ts';
import { defaultRestart, defaultStrategy, type Replicated, type Strategy } from '../replicated.ts';
import type { ReplicasFacts, ReplicasReport } from '../report.ts';
import { type Box, carryOut, type Mode, Unreachable, World } from './world.ts';

export const T0 = Date.UTC(2026, 0, 1);
const MAX_PASSES = 1_000;
const RETRY_MS = 4_000;

interface Flight {
  readonly step: Step;
  readonly generation: number;
  readonly nudge: number;
  cancelled: boolean;
  work: Generator<string, unknown>;
}

export type Facts = ReplicasFacts & { readonly observedGeneration?: number; readonly conditions?: readonly ConditionClaim[] };

/** A template in normal form; `version` and `mode` make it differ from others. */
export function template(version: number, mode: Mode = 'good', more: Partial<Template> = {}): Template {
  return {
    runtime: 'local',
    pullPolicy: 'IfNotPresent',
    entrypoint: [],
    command: ['serve'],
    env: { MODE: mode, VERSION: String(version) },
    mounts: [],
    ports: [],
    limits: {},
    capabilities: [],
    privileged: false,
    labels: {},
    probes: {},
    stop: { signal: 'SIGTERM', graceSeconds: 10 },
    ...more,
  };
}

/** A spec in the planner's own words. */
export function replicated(more: Partial<Omit<Replicated, 'strategy'>> & { strategy?: Partial<Strategy> } = {}): Replicated {
  const { strategy, ...rest } = more;
  return {
    replicas: 3,
    template: template(1),
    restart: defaultRestart,
    paused: false,
    nodes: [],
    ...rest,
    strategy: { ...defaultStrategy, maxSurge: 1, maxUnavailable: 0, ...strategy },
  };
}

/**
 * One resource with its loop, in a simulated world: plan, let steps fly, fold what lands, plan again.
 *
 * Does what `workflows/` does with a plan, and nothing of its own: one flight per lane, a wish that changes cancels the flight
 * and waits for it to land, news about a lane in the air is refused, older news too.
 */
export class Stage {
  readonly world = new World(T0);
  readonly flights = new Map<string, Flight>();
  generation = 1;
  status: Facts | undefined;
  observed: Record<string, Observation> = {};
  failing: Record<string, Failing> = {};
  nudges = 0;
  deleting = false;
  wakeAt: number | undefined;
  report: ReplicasReport | undefined;
  /** What each flight was for, in order. */
  readonly log: string[] = [];
  passes = 0;
  /** It was deleted, and nothing was left to do: nobody thinks any more. */
  isGone = false;
  images: (tag: string) => ImageAnswer = (image) => ({ image, pin: { ref: `${image}@sha256:1` } });
  /** Called after every pass. */
  planned: (report: ReplicasReport, view: View<Replicated>) => void = () => {};
  private readonly specs = new Map<number, Replicated>();

  constructor(public spec: Replicated) {
    this.specs.set(1, spec);
  }

  get facts(): Facts {
    if (!this.status) throw new Error('nothing was planned yet');
    return this.status;
  }

  get steps(): readonly Step[] {
    return this.report?.plan.steps ?? [];
  }

  condition(type: string): ConditionClaim {
    const found = this.facts.conditions?.find((one) => one.type === type);
    if (!found) throw new Error(`no condition ${type}`);
    return found;
  }

  view(): View<Replicated> {
    const stable = this.specs.get(this.status?.stableGeneration ?? -1);
    return {
      now: this.world.now,
      apiVersion: 'test/v1',
      kind: 'Test',
      metadata: {
        name: 'app',
        uid: 'u',
        resourceVersion: '1',
        generation: this.generation,
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: {},
        annotations: {},
        ownerReferences: [],
        finalizers: [],
      },
      spec: this.spec,
      ...(stable ? { stableSpec: stable as unknown as JsonObject } : {}),
      deleting: this.deleting,
      observed: this.observed,
      failing: this.failing,
      nudge: this.nudges,
      inAir: [...this.flights.values()].map(({ step }) => step.key),
      status: this.status as unknown as Status | undefined,
      tuning: { scheduleToStartMs: 1_000, firstRetryMs: 1_000 },
    };
  }

  /** Thinks once, and lets fly what is due. */
  pass(): void {
    if (this.isGone) return;
    this.passes += 1;
    if (this.passes > MAX_PASSES) throw new Error(`runs hot: ${this.log.slice(-5).join(' | ')}`);
    const view = this.view();
    const report = planReplicas(view, (spec) => spec);
    const { plan, facts } = report;
    this.report = report;
    const { observedGeneration = plan.steps.length === 0 ? this.generation : this.status?.observedGeneration, conditions = [] } = plan;
    this.status = { ...facts, conditions, ...(observedGeneration === undefined ? {} : { observedGeneration }) };
    this.planned(report, view);
    const isResting = ({ about, key }: Step): boolean => {
      const failing = this.failing[about];
      return failing?.key === key && failing.retryAt > this.world.now;
    };
    const rests = plan.steps.filter(isResting).map(({ about }) => this.failing[about]?.retryAt ?? 0);
    const times = [...(plan.wakeAt === undefined ? [] : [plan.wakeAt]), ...rests];
    this.wakeAt = times.length === 0 ? undefined : Math.min(...times);
    this.sync(plan.steps.filter((step) => !isResting(step)));
    this.isGone = this.deleting && plan.steps.length === 0 && this.flights.size === 0;
    if (this.isGone) this.wakeAt = undefined;
  }

  apply(change: Partial<Replicated>): void {
    this.spec = { ...this.spec, ...change };
    this.generation += 1;
    this.specs.set(this.generation, this.spec);
    this.pass();
  }

  /** The commands `pause` and `resume`. */
  say(paused: boolean): void {
    this.observed = {
      ...this.observed,
      [ROLLOUT]: { key: 'command', generation: this.generation, at: this.world.now, value: { paused, at: this.world.now } },
    };
    if (!paused && this.spec.paused) this.apply({ paused: false });
    else this.pass();
  }

  nudge(): void {
    this.nudges += 1;
    this.pass();
  }

  delete(): void {
    this.deleting = true;
    this.pass();
  }

  /** One effect of one flight; true when it landed with it. */
  advance(lane: string): boolean {
    const flight = this.flights.get(lane);
    if (!flight) return false;
    try {
      const { done, value } = flight.work.next();
      if (!done) return false;
      this.land(flight, value);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.crash(flight, error.reason);
    }
    this.pass();
    return true;
  }

  /** Whoever carried it out died: what is done is done, the answer is lost, and Temporal tries again. */
  retry(lane: string, leavesZombie: boolean): void {
    const flight = this.flights.get(lane);
    const node = nodeOfLane(lane);
    if (!flight || node === undefined) return;
    const wish = flight.step.input as unknown as InstanceWish;
    const next = wish.revisions.find(({ slots }) => slots.length > 0);
    if (leavesZombie && next) this.world.zombies.push(() => void this.world.ensure(node, next, next.slots[0] as number));
    flight.work = this.fly(flight.step, () => flight.cancelled);
  }

  /** Whoever carried it out died, and nobody came in time to try again: what is done is done, and nobody says what. */
  lose(lane: string): void {
    const flight = this.flights.get(lane);
    if (!flight) return;
    this.crash(flight, 'Lost');
    this.pass();
  }

  /** Nobody is there who could take it. */
  ignore(lane: string): void {
    const flight = this.flights.get(lane);
    if (!flight) return;
    this.crash(flight, 'ExecutorUnavailable', { untaken: true, retryAt: this.world.now });
    this.pass();
  }

  /** The observer of a node tells what it sees, unless a flight will. False: refused. */
  tell(node: string, sighting = this.look(node)): boolean {
    const lane = laneOf(node);
    if (!sighting || this.flights.has(lane) || this.isGone) return false;
    const known = this.observed[lane];
    if (known && (isOlder(sighting, known.value as Sighting) || isSame(sighting, known.value as Sighting))) return false;
    this.observed = {
      ...this.observed,
      [lane]: {
        key: 'observed',
        generation: this.generation,
        ...(known?.nudge === undefined ? {} : { nudge: known.nudge }),
        at: this.world.now,
        value: sighting,
      },
    };
    this.pass();
    return true;
  }

  /** What an observer would tell now; undefined while it has nothing to tell of. */
  look(node: string): Sighting | undefined {
    if (!this.world.unreachable.has(node)) return this.world.look(node);
    const last = this.observed[laneOf(node)]?.value as Sighting | undefined;
    return last ? { ...last, asOf: { boot: 'blind', seq: 0 }, unreachable: 'its runtime does not answer.' } : undefined;
  }

  /** Everybody tells what there is to tell. */
  tellAll(): boolean {
    const nodes = new Set([...this.world.boxes.map(({ node }) => node), ...this.lanes.flatMap((lane) => nodeOfLane(lane) ?? [])]);
    return [...nodes].map((node) => this.tell(node)).some((isNews) => isNews);
  }

  get lanes(): string[] {
    return [...new Set([...Object.keys(this.observed), ...this.flights.keys()])];
  }

  /** Lets everything land, and everybody tell, without time passing. */
  calm(): void {
    for (;;) {
      const [lane] = this.flights.keys();
      if (lane !== undefined) this.advance(lane);
      else if (!this.tellAll()) return;
    }
  }

  /** Lets time pass: alarms ring, instances get ready and end, observers tell; what flies lands at once. */
  wait(ms: number): void {
    const until = this.world.now + ms;
    this.calm();
    while (this.world.now < until) {
      const next = Math.min(until, this.wakeAt ?? until, this.world.nextChange);
      this.world.advance(next);
      if (this.wakeAt !== undefined && this.wakeAt <= this.world.now) this.pass();
      this.calm();
    }
  }

  /** Runs until there is nothing to do and nothing to wait for; gives up after so much time. */
  settle(ms = 3_600_000): void {
    const until = this.world.now + ms;
    if (!this.report) this.pass();
    this.calm();
    while (this.wakeAt !== undefined || this.world.nextChange < Number.POSITIVE_INFINITY) {
      const next = Math.min(this.wakeAt ?? Number.POSITIVE_INFINITY, this.world.nextChange);
      if (next > until) throw new Error(`does not settle: ${this.log.slice(-5).join(' | ')}`);
      this.wait(Math.max(1, next - this.world.now));
    }
  }

  /** Ready for as long as the strategy demands. */
  available(box: Box): boolean {
    return this.world.isReady(box) && box.readyAt + this.spec.strategy.minReadySeconds * 1000 <= this.world.now;
  }

  private sync(steps: readonly Step[]): void {
    const wanted = new Map(steps.map((step) => [step.about, step]));
    for (const [about, flight] of this.flights) if (wanted.get(about)?.key !== flight.step.key) flight.cancelled = true;
    for (const step of wanted.values()) {
      if (this.flights.has(step.about)) continue;
      const work = this.fly(step, () => flight.cancelled);
      const flight: Flight = { step, generation: this.generation, nudge: this.nudges, cancelled: false, work };
      this.flights.set(step.about, flight);
      this.log.push(`${step.reason}: ${step.summary}`);
    }
  }

  private fly(step: Step, isCancelled: () => boolean): Generator<string, unknown> {
    if (step.activity === 'resolveImage') return answering(() => this.images(String(step.input.image)));
    return carryOut(this.world, step.input as unknown as InstanceWish, isCancelled);
  }

  private land({ step, generation, nudge }: Flight, value: unknown): void {
    this.flights.delete(step.about);
    this.world.now += 1;
    this.observed = { ...this.observed, [step.about]: { key: step.key, generation, nudge, at: this.world.now, value } };
    this.failing = without(this.failing, step.about);
  }

  private crash({ step, cancelled }: Flight, reason: string, more: Partial<Failing> = {}): void {
    this.flights.delete(step.about);
    const known = this.observed[step.about];
    if (known) this.observed = { ...this.observed, [step.about]: { ...known, lost: true } };
    if (cancelled) return;
    const { now } = this.world;
    const before = this.failing[step.about];
    const count = before?.key === step.key ? before.count : 0;
    const failing = {
      key: step.key,
      reason,
      message: 'no answer',
      count: count + 1,
      since: before?.since ?? now,
      retryAt: now + Math.min(300_000, RETRY_MS * 2 ** count),
      ...more,
    };
    this.failing = { ...this.failing, [step.about]: failing };
  }
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}

function isOlder({ asOf }: Sighting, known: Sighting): boolean {
  return asOf.boot === known.asOf.boot && asOf.seq <= known.asOf.seq;
}

function isSame({ asOf: _then, ...news }: Sighting, { asOf: _last, ...known }: Sighting): boolean {
  return JSON.stringify(news) === JSON.stringify(known);
}

function* answering(answer: () => unknown): Generator<string, unknown> {
  yield 'asked';
  return answer();
}
