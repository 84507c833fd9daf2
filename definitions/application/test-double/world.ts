import { CHILDREN, laneOf } from '../../core/children.ts';
import type { ChildNews, ChildProblem, ChildRef, ChildWish } from '../../core/family.ts';
import type { Propagation } from '../../core/messages.ts';
import type { Plan, View } from '../../core/plan.ts';
import type { JsonObject, Status } from '../../core/resource.ts';
import type { Observation, Step } from '../../core/step.ts';
import { toldFields } from '../../core/told-path.ts';
import { plan } from '../plan.ts';
import { type ApplicationSpec, type ApplicationStatus, applicationSpec } from '../schema.ts';

/** A resource in the world of the simulation. */
export interface Thing {
  readonly ref: ChildRef;
  readonly spec: JsonObject;
  readonly tells: readonly string[];
  readonly generation: number;
  /** The generation that it is ready at. */
  readonly readyAt: number;
  /** The generation that it has given up. */
  readonly failedAt?: number;
  readonly status: JsonObject;
  readonly isReleased?: true;
}

interface Flight {
  readonly step: Step;
  readonly isCancelled: boolean;
}

/** How resources behave. */
export interface Behaviour {
  readonly knows?: (kind: string) => boolean;
  readonly refuses?: (manifest: JsonObject) => boolean;
  /** What a resource says of itself once it is ready. */
  readonly statusOf?: (name: string, spec: JsonObject) => JsonObject;
}

export const START = Date.UTC(2026, 0, 1);

/**
 * A world in which an application lives: it keeps what the workflow keeps, and nothing else, so every pass is also a restart.
 *
 * Steps are carried out when they land, one lane at a time; resources change only when the test says so.
 */
export class World {
  now = START;
  generation = 0;
  spec: ApplicationSpec = applicationSpec.parse({ components: [] });
  things = new Map<string, Thing>();
  flights: Flight[] = [];
  observed: Record<string, Observation> = {};
  deleting: Propagation | undefined;
  last: Plan = { steps: [], status: {} };
  /** What was begun, in order: `apply db`, `remove web`. */
  readonly begun: string[] = [];
  /** Looks at a step at the moment when it is begun. */
  onBegin: (step: Step, world: World) => void = () => undefined;
  private status: Status | undefined;
  private readonly specs = new Map<number, ApplicationSpec>();
  private births = 0;

  private readonly behaviour: Behaviour;

  constructor(behaviour: Behaviour = {}) {
    this.behaviour = behaviour;
  }

  apply(spec: JsonObject): this {
    this.spec = applicationSpec.parse(spec);
    this.generation += 1;
    this.specs.set(this.generation, this.spec);
    return this;
  }

  get facts(): ApplicationStatus {
    return this.last.status as unknown as ApplicationStatus;
  }

  view(): View<ApplicationSpec> {
    const stable = this.specs.get((this.status?.stableGeneration as number | undefined) ?? -1);
    const view: View<ApplicationSpec> = {
      now: this.now,
      apiVersion: 'app.colonies.io/v1',
      kind: 'Application',
      metadata: {
        name: 'shop',
        namespace: 'default',
        uid: 'uid-shop',
        resourceVersion: '1',
        generation: this.generation,
        creationTimestamp: new Date(START).toISOString(),
        labels: {},
        annotations: {},
        ownerReferences: [],
        finalizers: [],
      },
      spec: this.spec,
      ...(stable ? { stableSpec: stable as unknown as JsonObject } : {}),
      deleting: this.deleting !== undefined,
      ...(this.deleting ? { propagation: this.deleting } : {}),
      observed: this.observed,
      failing: {},
      nudge: 0,
      ...(this.flights.length > 0 ? { inAir: this.flights.map(({ step }) => step.key) } : {}),
      status: this.status,
      tuning: { scheduleToStartMs: 30_000, firstRetryMs: 1_000 },
    };
    return JSON.parse(JSON.stringify(view)) as View<ApplicationSpec>;
  }

  /** One turn of the loop: think, begin what is planned, cancel what is not. */
  pass(): Plan {
    this.last = plan(this.view());
    const { steps, status, conditions = [], phase = '', observedGeneration, forget = [] } = this.last;
    const seen = observedGeneration ?? (steps.length === 0 ? this.generation : this.status?.observedGeneration);
    const stamped = conditions.map((claim) => ({ ...claim, lastTransitionTime: '', observedGeneration: this.generation }));
    this.status = JSON.parse(
      JSON.stringify({ ...status, conditions: stamped, phase: this.deleting ? 'Deleting' : phase, observedGeneration: seen }),
    ) as Status;
    this.flights = this.flights.map((flight) => ({ ...flight, isCancelled: !steps.some(({ key }) => key === flight.step.key) }));
    for (const step of steps) {
      if (this.flights.some((flight) => flight.step.key === step.key || flight.step.about === step.about)) continue;
      this.onBegin(step, this);
      this.begun.push(...wordsOf(step));
      this.flights.push({ step, isCancelled: false });
    }
    for (const lane of forget) delete this.observed[lane];
    return this.last;
  }

  /** The oldest flight lands; a cancelled one may have done nothing, or all. */
  land(index = 0, isDone = true): void {
    const [flight] = this.flights.splice(index % Math.max(1, this.flights.length), 1);
    if (!flight) return;
    this.now += 1;
    const { step, isCancelled } = flight;
    if (isCancelled && !isDone) return;
    const value = this.carryOut(step);
    if (value !== undefined)
      this.observed = { ...this.observed, [step.about]: { key: step.key, generation: this.generation, at: this.now, value } };
  }

  private carryOut(step: Step): unknown {
    if (step.activity === 'applyChildren') return this.applyAll(step.input);
    if (step.activity === 'removeChildren') return this.removeAll(step.input);
    return {};
  }

  private applyAll({ wishes, inventory, problems }: JsonObject): unknown {
    const children = new Map((inventory as ChildRef[]).map((child) => [child.id, child]));
    const tried = (wishes as ChildWish[]).map(({ key }) => key);
    const left = ((problems ?? []) as ChildProblem[]).filter(({ key }) => !tried.includes(key));
    for (const { key, digest, manifest } of wishes as ChildWish[]) {
      const { kind, metadata, spec } = manifest as { kind: string; metadata: { name: string; annotations?: JsonObject }; spec: JsonObject };
      const isKnown = this.behaviour.knows?.(kind) ?? true;
      if (!isKnown || this.behaviour.refuses?.(manifest)) {
        left.push({ key, digest, reason: isKnown ? 'Refused' : 'KindUnknown', message: `${kind} ${metadata.name} is not taken` });
        continue;
      }
      const id = `${kind.toLowerCase()}s.example.com/default/${metadata.name}`;
      const before = this.things.get(id);
      const isNew = before === undefined;
      if (isNew) this.births += 1;
      const generation = isNew ? 1 : before.generation + (JSON.stringify(before.spec) === JSON.stringify(spec) ? 0 : 1);
      const uid = before?.ref.uid ?? `uid-${this.births}`;
      const ref: ChildRef = {
        apiVersion: 'example.com/v1',
        kind,
        namespace: 'default',
        name: metadata.name,
        uid,
        id,
        key,
        digest,
        generation,
      };
      const tells = String(metadata.annotations?.['colony.io/tells'] ?? '')
        .split(' ')
        .filter(Boolean);
      const thing = { ...(before ?? { readyAt: 0, status: {} }), ref, spec, tells, generation };
      this.things.set(id, thing);
      children.set(id, ref);
      if (isNew || generation !== before.generation) this.tell(thing);
      else if (before.readyAt === generation) this.tell(thing);
    }
    return { children: [...children.values()], problems: left };
  }

  private removeAll({ waves, released, inventory, all }: JsonObject): unknown {
    const going = (waves as ChildRef[][]).flat();
    for (const { id } of released as ChildRef[]) {
      const thing = this.things.get(id);
      if (thing) this.things.set(id, { ...thing, isReleased: true });
    }
    for (const { id } of going) this.things.delete(id);
    const gone = new Set([...going, ...(released as ChildRef[])].map(({ id }) => id));
    return { children: (inventory as ChildRef[]).filter(({ id }) => !gone.has(id) && !all) };
  }

  thing(component: string, kind?: string): Thing | undefined {
    return [...this.things.values()].find(({ ref, isReleased }) => ref.key === component && !isReleased && (!kind || ref.kind === kind));
  }

  /** Names of the components that are there, sorted. */
  get alive(): readonly string[] {
    return [...this.things.values()].map(({ ref }) => ref.key ?? '').sort();
  }

  /** A resource reaches what is wished of it, and says so. */
  ready(component: string, kind?: string): void {
    this.change(
      component,
      (thing) => ({
        ...thing,
        readyAt: thing.generation,
        status: this.behaviour.statusOf?.(thing.ref.name, thing.spec) ?? { url: `${thing.ref.name}:${thing.generation}` },
      }),
      kind,
    );
  }

  /** A resource is no longer ready. */
  fall(component: string): void {
    this.change(component, (thing) => ({ ...thing, readyAt: 0 }));
  }

  /** A resource says that it has given up. */
  fail(component: string): void {
    this.change(component, (thing) => ({ ...thing, readyAt: 0, failedAt: thing.generation }));
  }

  /** A resource was told to go, and says so; in the end that it is gone. */
  goes(component: string, isGone = false): void {
    const thing = this.thing(component);
    if (!thing) return;
    this.now += 1;
    if (isGone) this.things.delete(thing.ref.id);
    const said = { phase: 'Deleting', ready: 'False', reason: 'Deleting', message: 'The resource is being deleted.' } as const;
    this.tell(thing, { ...said, deleting: true, ...(isGone ? { gone: true } : {}) });
  }

  private change(component: string, how: (thing: Thing) => Thing, kind?: string): void {
    const thing = this.thing(component, kind);
    if (!thing) return;
    this.now += 1;
    const changed = how(thing);
    this.things.set(thing.ref.id, changed);
    this.tell(changed);
  }

  private tell({ ref, generation, readyAt, failedAt, status, tells }: Thing, more: Partial<ChildNews> = {}): void {
    const { id } = ref;
    const isReady = readyAt === generation;
    const hasFailed = failedAt === generation;
    const at = (path: string): unknown =>
      toldFields(path)
        .slice(1)
        .reduce((value: unknown, field) => (value as JsonObject | undefined)?.[field], status);
    const values = Object.fromEntries(tells.map((path) => [path, at(path)] as const).filter(([, value]) => value !== undefined));
    const news: ChildNews = {
      id,
      uid: ref.uid,
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      name: ref.name,
      resourceVersion: '1',
      generation,
      observedGeneration: isReady || hasFailed ? generation : 0,
      phase: isReady ? 'Running' : hasFailed ? 'Failed' : 'Pending',
      ready: isReady ? 'True' : 'False',
      reason: hasFailed ? 'ProgressDeadlineExceeded' : isReady ? 'Settled' : 'Starting',
      message: hasFailed ? 'It did not come up.' : 'It starts.',
      values,
      ...more,
    };
    this.observed = { ...this.observed, [laneOf(id)]: { key: 'child', generation: this.generation, at: this.now, value: news } };
  }

  /** Passes and lands until nothing is in the air; resources stay as they are. */
  settle(): Plan {
    for (let turn = 0; turn < 100; turn += 1) {
      this.pass();
      const waits = this.flights.every(({ step }) => step.about !== CHILDREN);
      if (waits && this.last.steps.every(({ about }) => about !== CHILDREN)) return this.last;
      this.land(this.flights.findIndex(({ step }) => step.about === CHILDREN));
    }
    throw new Error('does not settle');
  }

  /** Until nothing happens any more, with resources that get ready at once unless they are named. */
  rise(...except: readonly string[]): Plan {
    for (let turn = 0; turn < 100; turn += 1) {
      this.settle();
      const next = [...this.things.values()].find(
        ({ ref, generation, readyAt, isReleased }) => !isReleased && readyAt !== generation && !except.includes(ref.key ?? ''),
      );
      if (!next) return this.last;
      this.ready(next.ref.key ?? '', next.ref.kind);
    }
    throw new Error('does not rise');
  }

  condition(type: string): string {
    const found = (this.last.conditions ?? []).find((claim) => claim.type === type);
    return `${found?.status} ${found?.reason}: ${found?.message}`;
  }
}

function wordsOf({ activity, input }: Step): readonly string[] {
  if (activity === 'applyChildren') return (input.wishes as ChildWish[]).map(({ key }) => `apply ${key}`);
  if (activity !== 'removeChildren') return [];
  const released = (input.released as ChildRef[]).map(({ key }) => `release ${key}`);
  return [
    ...released,
    ...(input.waves as ChildRef[][]).map(
      (wave) =>
        `remove ${wave
          .map(({ key }) => key)
          .sort()
          .join('+')}`,
    ),
  ];
}
