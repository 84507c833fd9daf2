import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChildRef, ChildWish } from '../core/family.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import { type Thing, World } from './test-double/world.ts';

const RUNS = Number(process.env.COLONY_SIM_RUNS ?? 0);
const LIMIT = { numRuns: RUNS || 1_000, ...(RUNS > 0 ? {} : { interruptAfterTimeLimit: 5_000 }) };
const TIMEOUT_MS = RUNS > 0 ? 3_600_000 : 60_000;
const DEADLINE_S = 60;
/** A resource of this size never gets ready. */
const BAD = 13;

interface Part {
  readonly name: string;
  readonly kind: string;
  readonly size: number;
  readonly wired: readonly string[];
  readonly after: readonly string[];
}

type Version = ReadonlyMap<string, Part>;

interface Applied {
  readonly version: Version;
  /** How many versions there had been by then. */
  readonly at: number;
}

const needsOf = ({ wired, after }: Part): readonly string[] => [...wired, ...after];

/** Any small graph: whoever comes later in the order may need those before it. */
const anyVersion: fc.Arbitrary<Version> = fc
  .record({
    order: fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e'], { minLength: 1 }),
    kinds: fc.array(fc.constantFrom('A', 'A', 'B'), { minLength: 5, maxLength: 5 }),
    sizes: fc.array(fc.constantFrom(1, 1, 2, 3, BAD), { minLength: 5, maxLength: 5 }),
    edges: fc.array(fc.constantFrom('no', 'no', 'wired', 'after'), { minLength: 10, maxLength: 10 }),
  })
  .map(({ order, kinds, sizes, edges }) => {
    let next = 0;
    const parts = order.map((name, index): Part => {
      const ties = order.slice(0, index).map((other) => [other, edges[next++ % edges.length]] as const);
      const by = (how: string) => ties.flatMap(([other, tie]) => (tie === how ? [other] : []));
      return { name, kind: kinds[index] ?? 'A', size: sizes[index] ?? 1, wired: by('wired'), after: by('after') };
    });
    return new Map(parts.map((part) => [part.name, part]));
  });

const specOf = (version: Version, onFailure: string): JsonObject => ({
  components: [...version.values()].map(({ name, kind, size, wired, after }) => ({
    name,
    kind,
    dependsOn: [...after],
    spec: { size, inputs: wired.map((other) => `\${components.${other}.status.url}`) },
  })),
  updatePolicy: { onFailure, progressDeadlineSeconds: DEADLINE_S },
});

const urlOf = (name: string, spec: JsonObject, turn = 0): string => `${name}/${turn}/${JSON.stringify(spec)}`;

/** What a part shall be in the end, by what those shall be that it is wired to. */
function wishOf(version: Version, name: string): JsonObject {
  const { size, wired } = version.get(name) as Part;
  return { size, inputs: wired.map((other) => urlOf(`shop-${other}`, wishOf(version, other))) };
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Whether anybody needs itself, by all edges together. */
function isTangled(edges: ReadonlyMap<string, readonly string[]>): boolean {
  const left = new Map(edges);
  for (;;) {
    const free = [...left.keys()].find((name) => (edges.get(name) ?? []).every((need) => !left.has(need)));
    if (free === undefined) return left.size > 0;
    left.delete(free);
  }
}

const together = (...graphs: readonly ReadonlyMap<string, readonly string[]>[]): ReadonlyMap<string, readonly string[]> => {
  const names = [...new Set(graphs.flatMap((graph) => [...graph.keys()]))];
  return new Map(names.map((name) => [name, graphs.flatMap((graph) => graph.get(name) ?? [])]));
};

/** Whether one needs the other, be it over others. */
function isNeedOf(edges: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const name of seen) for (const need of edges.get(name) ?? []) seen.add(need);
  return seen.has(to);
}

const graphOf = (version: Version) => new Map([...version].map(([name, part]) => [name, needsOf(part)] as const));

/** Tells a story and judges every step of it by rules of its own. */
class Story {
  readonly world = new World({ statusOf: (name, spec) => ({ url: urlOf(name, spec, this.turns.get(name)) }) });
  /** By name of the resource: how often it changed its url by itself. */
  private readonly turns = new Map<string, number>();
  private readonly versions: Version[] = [];
  private readonly onFailure: string;
  /** By id: what it was last applied for. */
  private readonly applied = new Map<string, Applied>();
  /** The same as it was before the way back. */
  private came = new Map<string, Applied>();
  private hasJumped = false;
  /** Somebody gave up, or time was short: a release may have failed although nobody is bad. */
  isUnlucky = false;

  constructor(onFailure: string) {
    this.onFailure = onFailure;
    this.world.onBegin = (step) => this.judge(step);
  }

  private get current(): Version {
    return this.versions.at(-1) as Version;
  }

  private get stable(): Version | undefined {
    return this.versions[(this.world.facts.stableGeneration ?? 0) - 1];
  }

  private get isGoingBack(): boolean {
    return this.world.facts.release?.phase === 'RollingBack';
  }

  apply(version: Version): void {
    this.versions.push(version);
    this.came = new Map(this.applied);
    this.world.apply(specOf(version, this.onFailure));
    this.isUnlucky = [...this.world.things.values()].some(({ failedAt, generation }) => failedAt === generation);
    this.hasJumped = false;
  }

  act([what, which, how]: readonly [number, number, number]): void {
    const { world } = this;
    const names = [...new Set(world.alive)];
    const name = names[which % Math.max(1, names.length)] ?? '';
    switch (what % 10) {
      case 0:
      case 1:
      case 2:
        this.mend(name);
        break;
      case 3:
      case 4:
        world.land(which, how % 2 === 0);
        break;
      case 5:
        if (!this.isGoingBack) world.fall(name);
        break;
      case 6:
        if (how % 4 === 0 && !this.isGoingBack) {
          world.fail(name);
          this.isUnlucky = true;
        }
        break;
      case 7:
        if (how % 4 === 0) {
          world.now += DEADLINE_S * 1000;
          this.isUnlucky = true;
          this.hasJumped ||= this.isGoingBack;
        }
        break;
      case 8:
        // On the way back values of an earlier time are used, which the rules here do not remember.
        if (this.onFailure === 'Pause') this.turn(name);
        break;
      default:
        if (!this.isGoingBack) this.meddle(name, how);
    }
    world.pass();
  }

  private mend(name: string): void {
    for (const { ref, spec } of this.world.things.values()) if (ref.key === name && spec.size !== BAD) this.world.ready(name, ref.kind);
  }

  /** A resource changes by itself what it tells. */
  private turn(name: string): void {
    this.turns.set(`shop-${name}`, (this.turns.get(`shop-${name}`) ?? 0) + 1);
    for (const { ref, readyAt, generation } of this.world.things.values()) {
      if (ref.key === name && readyAt === generation) this.world.ready(name, ref.kind);
    }
  }

  /** What a part shall be by what those tell that it is wired to. */
  private wish(version: Version, name: string): JsonObject {
    if (this.onFailure !== 'Pause') return wishOf(version, name);
    const { size, wired } = version.get(name) as Part;
    return { size, inputs: wired.map((other) => this.world.thing(other, version.get(other)?.kind)?.status.url) };
  }

  private meddle(name: string, how: number): void {
    const thing = this.world.thing(name);
    if (!thing || how % 3 !== 0) return;
    this.world.things.set(thing.ref.id, { ...thing, spec: { ...thing.spec, size: 7 }, generation: thing.generation + 1 });
    this.mend(name);
  }

  /** Everybody who can gets ready, time passes, until nothing happens any more. */
  end(): void {
    for (let turn = 0; turn < 60; turn += 1) {
      const before = JSON.stringify([[...this.world.things], this.world.facts.release?.phase, this.world.facts.release?.wave]);
      this.world.settle();
      for (const name of new Set(this.world.alive)) this.mend(name);
      this.world.settle();
      const isSame = before === JSON.stringify([[...this.world.things], this.world.facts.release?.phase, this.world.facts.release?.wave]);
      if (isSame && this.world.last.wakeAt === undefined) return;
      if (isSame) {
        this.hasJumped ||= this.isGoingBack;
        this.world.now = this.world.last.wakeAt ?? 0;
      }
    }
    throw new Error('comes to no end');
  }

  private judge({ activity, input }: Step): void {
    if (activity === 'applyChildren') for (const wish of input.wishes as ChildWish[]) this.judgeApply(wish);
    if (activity === 'removeChildren') this.judgeRemove(input as { waves: ChildRef[][]; released: ChildRef[] });
  }

  private judgeApply({ key, manifest }: ChildWish): void {
    const phase = this.world.facts.release?.phase;
    const version = phase === 'RollingBack' || phase === 'RolledBack' ? (this.stable as Version) : this.current;
    const part = version.get(key) as Part;
    const { kind, metadata, spec } = manifest as { kind: string; metadata: { name: string }; spec: JsonObject };
    expect({ kind, name: metadata.name }).toEqual({ kind: part.kind, name: `shop-${key}` });
    const id = idOf(part);
    this.applied.set(id, { version, at: this.versions.length });
    expect(spec).toEqual(this.wish(version, key));
    if (phase === 'RollingBack') return this.judgeReturn(key, id);
    this.came.set(id, { version, at: this.versions.length });
    for (const need of needsOf(part)) expect(this.isReadyAt(version, need), `${key} before ${need}`).toBe(true);
  }

  /**
   * On the way back everybody who needs it is back, or gone if it was new.
   *
   * Where those that go back came in another order than the two sets have, it goes by how they came.
   */
  private judgeReturn(key: string, id: string, leaving: readonly string[] = []): void {
    if (this.hasJumped) return;
    const stable = this.stable as Version;
    const things = [...this.world.things.values()];
    const came = this.orderAsCome(things);
    // What was said in between may be remembered of somebody whose step landed when the next spec no longer named it.
    const since = this.versions.slice(this.versions.indexOf(stable));
    const all = together(...since.map(graphOf), ...things.map((thing) => this.graphAsCome(thing)));
    for (const thing of things) {
      const { ref, spec, generation, readyAt } = thing;
      const name = ref.key ?? '';
      if (name === key || leaving.includes(ref.id)) continue;
      const isUser = this.needsAsCome(thing).includes(id) && !isNeedOf(came, key, name);
      const isNeeding = [stable, this.current].some((version) => needsOf(version.get(name) ?? NOBODY).includes(key));
      if (!isUser && (!isNeeding || isNeedOf(all, key, name))) continue;
      const isStable = stable.get(name)?.kind === ref.kind;
      expect(isStable, `${name} is still there when ${key} goes back`).toBe(true);
      expect(spec, `${name} when ${key} goes back`).toEqual(wishOf(stable, name));
      if (this.world.facts.release?.returning?.includes(name)) expect(readyAt, `${name} when ${key} goes back`).toBe(generation);
    }
  }

  /** Of those that go back. Resources of one name and several kinds have one turn, for all that was ever said of that name. */
  private orderAsCome(things: readonly Thing[]): ReadonlyMap<string, readonly string[]> {
    const isMoved = ({ ref: { key = '', kind } }: Thing): boolean =>
      this.stable?.get(key)?.kind !== kind || this.world.facts.release?.returning?.includes(key) === true;
    const isRetyped = (name: string): boolean => things.filter(({ ref }) => ref.key === name).length > 1;
    const said = this.versions.map((version) => new Map([...graphOf(version)].filter(([name]) => isRetyped(name))));
    return together(...things.filter(isMoved).map((thing) => this.graphAsCome(thing)), ...said);
  }

  private graphAsCome(thing: Thing): ReadonlyMap<string, readonly string[]> {
    return new Map([[thing.ref.key ?? '', this.needsAsCome(thing).map(nameOf)]]);
  }

  /** By id. */
  private needsAsCome({ ref }: Thing): readonly string[] {
    const came = this.came.get(ref.id);
    return this.needsSince(came, ref).map((need) => idOf(came?.version.get(need) ?? NOBODY));
  }

  /** A later spec may have taken a need back although nothing had to be applied for that, and the next one may have it again. */
  private needsSince(applied: Applied | undefined, { key = '', kind }: ChildRef, ...later: readonly Version[]): readonly string[] {
    if (!applied) return [];
    const told = [...this.versions.slice(applied.at), ...later].filter((version) => version.get(key)?.kind === kind);
    return needsOf(applied.version.get(key) ?? NOBODY).filter((need) =>
      told.every((version) => needsOf(version.get(key) ?? NOBODY).includes(need)),
    );
  }

  private isReadyAt(version: Version, name: string): boolean {
    const thing = this.world.thing(name, version.get(name)?.kind);
    return thing !== undefined && thing.readyAt === thing.generation && same(thing.spec, this.wish(version, name));
  }

  private judgeRemove({ waves }: { readonly waves: readonly (readonly ChildRef[])[] }): void {
    const phase = this.world.facts.release?.phase;
    const flat = waves.flatMap((wave, index) => wave.map((child) => ({ child, index })));
    if (!this.world.deleting) {
      const goal = phase === 'Complete' ? this.current : (this.stable as Version);
      for (const { child } of flat) expect(goal.get(child.key ?? '')?.kind, `${child.key} is wanted`).not.toBe(child.kind);
      if (phase === 'Complete') for (const name of goal.keys()) expect(this.isReadyAt(goal, name), `${name} is not ready`).toBe(true);
    }
    if (phase === 'RollingBack' && !this.world.deleting) {
      const ids = flat.map(({ child }) => child.id);
      for (const { child } of flat) this.judgeReturn(child.key ?? '', child.id, ids);
    }
    const needs = new Map([...this.applied].map(([id, { version }]) => [nameOf(id), needsOf(version.get(nameOf(id)) ?? NOBODY)] as const));
    if (isTangled(together(needs, ...this.versions.map(graphOf)))) return;
    for (const { child, index } of flat) {
      const later = phase === 'RolledBack' ? [this.stable as Version] : [];
      for (const need of this.needsSince(this.applied.get(child.id), child, ...later)) {
        for (const other of flat.filter((one) => one.child.key === need))
          expect(index, `${child.key} goes before ${need}`).toBeLessThan(other.index);
      }
    }
  }

  /** What must be when nothing happens any more. */
  judgeEnd(): void {
    const { world } = this;
    const phase = world.facts.release?.phase;
    const hasBad = [...this.current.values()].some(({ size }) => size === BAD);
    expect(world.last.steps).toEqual([]);
    if (hasBad) expect(phase).not.toBe('Complete');
    else if (!this.isUnlucky) expect(phase).toBe('Complete');
    if (phase === 'Failed') {
      expect(hasBad).toBe(true);
      return;
    }
    const version = phase === 'Complete' ? this.current : (this.stable as Version);
    expect(thingsOf(world)).toEqual([...version.values()].map(({ name, kind }) => `${kind} ${name}`).sort());
    for (const name of version.keys()) expect(this.isReadyAt(version, name), `${name} in the end`).toBe(true);
    expect(world.facts.readyComponents).toBe(`${version.size}/${version.size}`);
    expect(world.last.conditions?.find(({ type }) => type === 'Ready')?.status).toBe(phase === 'Complete' ? 'True' : 'False');
  }

  goAway(): void {
    this.world.deleting = 'Foreground';
    this.world.settle();
    expect(thingsOf(this.world)).toEqual([]);
    expect(this.world.last.steps).toEqual([]);
  }
}

const NOBODY: Part = { name: '', kind: '', size: 0, wired: [], after: [] };

const idOf = ({ kind, name }: Part): string => `${kind.toLowerCase()}s.example.com/default/shop-${name}`;
const nameOf = (id: string): string => id.split('/shop-')[1] ?? '';

const thingsOf = ({ things }: World): readonly string[] => [...things.values()].map(({ ref }: Thing) => `${ref.kind} ${ref.key}`).sort();

const anyActs = fc.array(fc.tuple(fc.nat(9), fc.nat(99), fc.nat(99)), { maxLength: 40 });

describe('applications in random lives', () => {
  it(
    'begin nothing before its needs, go back and go away in reverse order, and end at the spec or at the last good set',
    () => {
      fc.assert(
        fc.property(
          fc.constantFrom('Pause', 'Rollback'),
          fc.array(fc.tuple(anyVersion, anyActs, fc.boolean()), { minLength: 1, maxLength: 4 }),
          (onFailure, chapters) => {
            const story = new Story(onFailure);
            for (const [version, acts, isFinished] of chapters) {
              story.apply(version);
              story.world.pass();
              for (const act of acts) story.act(act);
              if (isFinished) {
                story.end();
                story.judgeEnd();
              }
            }
            story.end();
            story.judgeEnd();
            story.goAway();
          },
        ),
        LIMIT,
      );
    },
    TIMEOUT_MS,
  );
});
