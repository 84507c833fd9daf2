import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/resource.ts';
import { workflowRun } from './index.ts';
import { type Formula, Oracle, type Outcome, type Sketch } from './test-double/oracle.ts';
import { fn, Stage } from './test-double/stage.ts';
import { Things } from './test-double/things.ts';

const OUTCOMES: readonly Outcome[] = ['Succeeded', 'Failed', 'Skipped', 'Finished', 'AnySucceeded', 'AllFailed'];
const RUNS = { numRuns: Number(process.env.COLONY_SIM_RUNS ?? 1_000) };
const END = ['Succeeded', 'Failed', 'Cancelled', 'Terminated'];

/** Chance, from one seed. */
class Dice {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % limit;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  some<T>(list: readonly T[], percent: number): T[] {
    return list.filter(() => this.chance(percent));
  }
}

function formulaOf(dice: Dice, names: readonly string[], depth = 2): Formula {
  if (depth === 0 || dice.chance(40))
    return dice.chance(30) ? { step: dice.pick(names) } : { step: dice.pick(names), is: dice.pick(OUTCOMES) };
  if (dice.chance(25)) return { not: formulaOf(dice, names, depth - 1) };
  const parts = [formulaOf(dice, names, depth - 1), formulaOf(dice, names, depth - 1)];
  return dice.chance(50) ? { and: parts } : { or: parts };
}

function written(formula: Formula): string {
  if ('step' in formula) return formula.is ? `${formula.step}.${formula.is}` : formula.step;
  if ('not' in formula) return `!(${written(formula.not)})`;
  return 'and' in formula ? `(${formula.and.map(written).join(' && ')})` : `(${formula.or.map(written).join(' || ')})`;
}

function sketches(dice: Dice, depth: number): Sketch[] {
  const count = 1 + dice.below(depth === 0 ? 6 : 3);
  const made: Sketch[] = [];
  for (let index = 0; index < count; index += 1) {
    const names = made.map(({ name }) => name);
    const isGroup = depth < 2 && dice.chance(18);
    const suspends = !isGroup && dice.chance(8);
    made.push({
      name: `s${index}`,
      needs: dice.some(names, 35),
      ...(names.length > 0 && dice.chance(30) ? { formula: formulaOf(dice, names) } : {}),
      ...(dice.chance(20) ? { when: dice.chance(60) } : {}),
      ...(names.length > 0 && dice.chance(15) && !isGroup && !suspends ? { speaksOf: [dice.pick(names)] } : {}),
      ...(dice.chance(12) ? { continueOnFailure: true } : {}),
      attempts: isGroup || suspends ? 1 : 1 + dice.below(3),
      ...(dice.chance(15) ? { items: dice.below(4) } : {}),
      ...(suspends ? { suspends } : {}),
      ...(!isGroup && !suspends && dice.chance(25) ? { hasUndo: true } : {}),
      ...(isGroup ? { inner: sketches(dice, depth + 1) } : {}),
    });
  }
  return made;
}

/** The same, but some steps apply manifests instead of calling functions. */
function withThings(made: readonly Sketch[], dice: Dice): Sketch[] {
  return made.map((sketch) => {
    if (sketch.inner) return { ...sketch, inner: withThings(sketch.inner, dice) };
    return sketch.suspends || dice.chance(50) ? sketch : { ...sketch, applies: true };
  });
}

function stepOf(sketch: Sketch, dice: Dice): JsonObject {
  const { name, needs, formula, when, speaksOf, continueOnFailure, attempts, items, suspends, applies, hasUndo, inner } = sketch;
  const kwargs = Object.fromEntries((speaksOf ?? []).map((one) => [one, `\${steps.${one}.status}`]));
  const call = { funcName: 'work', conditions: { executorType: 'q' }, kwargs };
  return {
    name,
    dependsOn: needs,
    ...(formula ? { depends: written(formula) } : {}),
    ...(when === undefined ? {} : { when: when ? 'params.yes' : 'params.no' }),
    ...(continueOnFailure ? { continueOnFailure } : {}),
    ...(items === undefined ? {} : { withItems: Array.from({ length: items }, (_, index) => index) }),
    ...(hasUndo ? { compensate: { functionSpec: { funcName: 'undo', conditions: { executorType: 'q' } } } } : {}),
    ...(inner
      ? { steps: shuffled(inner, dice).map((one) => stepOf(one, dice)) }
      : suspends
        ? { suspend: {} }
        : applies
          ? { resource: { manifest: { kind: 'Thing', spec: kwargs } }, retry: { maxAttempts: attempts, backoff: '1s' } }
          : { functionSpec: call, retry: { maxAttempts: attempts, backoff: '1s' } }),
  };
}

/** Steps are written in any order. */
function shuffled<T>(list: readonly T[], dice: Dice): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(dice.below(rest.length), 1)[0] as T);
}

const isMain = (path: string): boolean => !path.startsWith('exit.') && !path.startsWith('undo.');

/** One random life of one random run; every rule is checked on the way. */
class Life {
  private readonly stage: Stage;
  private readonly oracle: Oracle;
  private seen = 0;
  private isStopped = false;
  private isEnding = false;
  private mischief: number;
  private retries = 0;
  private settledBefore: ReadonlySet<string> = new Set();
  /** Landings that the plan still waits for before anybody thinks again. */
  private awaited = 0;
  private cameOut: Readonly<Record<string, string>> | undefined;
  private undone: string[] = [];
  private exits: string[] = [];
  private readonly exitNames: readonly string[];
  private readonly made: readonly Sketch[];
  private readonly things: Things;

  constructor(
    private readonly dice: Dice,
    hasThings = false,
  ) {
    const made = hasThings ? withThings(sketches(dice, 0), dice) : sketches(dice, 0);
    this.made = made;
    const failFast = dice.chance(60);
    const abort = failFast && dice.chance(40);
    this.exitNames = ['bye', 'log'].slice(0, dice.below(3));
    this.mischief = 4 + dice.below(20);
    this.oracle = new Oracle(made, { failFast, abort });
    this.stage = new Stage({
      params: { yes: true, no: false },
      failFast: abort ? { abortRunning: true } : failFast,
      ...(dice.chance(30) ? { parallelism: 1 + dice.below(3) } : {}),
      steps: shuffled(made, dice).map((one) => stepOf(one, dice)),
      ...(this.exitNames.length > 0 ? { onExit: this.exitNames.map((name) => fn(name)) } : {}),
    });
    this.things = new Things(this.stage);
    this.observe();
  }

  live(): void {
    for (let turn = 0; turn < 2_000 && !this.isOver; turn += 1) {
      this.turn();
      this.observe();
    }
    if (!this.isOver) throw new Error(`does not end: ${JSON.stringify({ status: this.stage.status, air: [...this.stage.air.keys()] })}`);
    this.checkEnd();
    if (this.stage.phase !== 'Succeeded' && this.retries < 2 && this.dice.chance(60)) {
      this.retry();
      this.live();
    }
  }

  private get isOver(): boolean {
    return END.includes(this.stage.phase ?? '') && this.stage.air.size === 0;
  }

  private turn(): void {
    const { stage, dice, awaited } = this;
    this.awaited = 0;
    const isMischievous = this.mischief > 0 && dice.chance(50);
    if (isMischievous) {
      this.mischief -= 1;
      if (this.meddle()) return;
    }
    const flights = [...stage.air.values()];
    const waiting = Object.entries(stage.steps).filter(([, { phase }]) => phase === 'Suspended');
    const { open } = this.things;
    if (open.length > 0 && (flights.length === 0 || dice.chance(40))) this.decideOne(dice.pick(open), isMischievous);
    else if (flights.length > 0 && (waiting.length === 0 || dice.chance(70))) this.landOne(isMischievous, awaited);
    else if (waiting.length > 0 && !this.isStopped && !this.isPaused)
      this.answer(
        waiting.map(([path]) => path),
        isMischievous,
      );
    else if (this.isPaused && !this.isStopped) stage.command('resume');
    else stage.wait(100_000);
  }

  private get isPaused(): boolean {
    return stageIsPaused(this.stage);
  }

  /** @param before how many landings were waited for. */
  private landOne(isMischievous: boolean, before: number): void {
    const { stage, dice, oracle } = this;
    const { step, isCancelled } = dice.pick([...stage.air.values()]);
    if (step.about.startsWith('children')) return this.landThings(step.about, isCancelled);
    const path = step.about.replace(/^step\//, '');
    const isCounted = isMain(path);
    if (isCancelled && dice.chance(70)) {
      if (isCounted) oracle.land(path, 'dropped');
      stage.drop(path);
    } else if (isMischievous && dice.chance(60)) this.failOne(path, isCancelled);
    else {
      if (isCounted) oracle.land(path, 'ok');
      if (!isCounted) this.landedAtEnd(path);
      const { length } = stage.log;
      stage.land(path, { n: 1 });
      if (!isCancelled) this.awaited = Math.max(0, before - 1);
      if (this.awaited > 0) expect(stage.log.slice(length), 'begins although nobody would have thought').toEqual([]);
    }
  }

  /** What a step waits for becomes ready, or fails. */
  private decideOne(path: string, isMischievous: boolean): void {
    const hasFailed = isMischievous && this.dice.chance(70);
    if (isMain(path)) this.oracle.land(path, hasFailed ? 'failed' : 'ok');
    this.things.tell(path, hasFailed ? 'Failed' : 'Ready');
  }

  private landThings(about: string, isCancelled: boolean): void {
    const { stage, dice, things } = this;
    if (about !== 'children') {
      for (const key of things.going) things.vanish(key);
      return void (isCancelled ? stage.drop(about) : stage.land(about, { free: [] }));
    }
    const answer = isCancelled && dice.chance(50) ? undefined : things.carryOut();
    if (dice.chance(30)) for (const key of things.going) things.vanish(key);
    if (isCancelled) stage.drop(about);
    else stage.land(about, answer);
  }

  private landedAtEnd(path: string): void {
    if (path.startsWith('exit.')) this.exits.push(path);
  }

  private failOne(path: string, isCancelled: boolean): void {
    const { stage, dice, oracle } = this;
    const note = (end: 'failed' | 'dead' | 'lost' | 'stuck') => {
      if (isMain(path)) oracle.land(path, isCancelled ? 'dropped' : end);
      else if (end === 'failed' || end === 'dead') this.landedAtEnd(path);
    };
    switch (dice.below(6)) {
      case 0:
        note('dead');
        stage.fail(path, 'Fatal', { isFinal: true });
        break;
      case 1:
        note('lost');
        stage.fail(path, 'Lost');
        break;
      case 2:
        note('stuck');
        stage.fail(path, 'ExecutorUnavailable');
        break;
      case 3:
        note('stuck');
        stage.fail(path, 'NotFoundError', { message: 'Activity function work is not registered on this Worker' });
        break;
      default:
        note('failed');
        stage.fail(path);
    }
  }

  private answer(paths: readonly string[], isMischievous: boolean): void {
    const path = this.dice.pick(paths);
    const verdict = isMischievous && this.dice.chance(50) ? 'reject' : 'approve';
    if (isMain(path)) this.oracle.land(path, verdict === 'approve' ? 'ok' : 'dead');
    expect(this.stage.command(verdict, { step: path })).toMatchObject({ step: path });
  }

  /** Something that nobody expects. */
  private meddle(): boolean {
    const { stage, dice, oracle } = this;
    const roll = dice.below(100);
    if (roll < 6) stage.command('pause');
    else if (roll < 12) stage.command('resume');
    else if (roll < 16 && !this.isEnding) {
      const open = Object.entries(stage.steps).filter(
        ([path, { phase }]) => isMain(path) && ['Pending', 'Running', 'Suspended', 'Failed'].includes(phase),
      );
      if (open.length === 0) return false;
      const [path] = dice.pick(open);
      oracle.skip(path);
      expect(stage.command('skip', { step: path })).toMatchObject({ step: path });
    } else if (roll < 19 && !this.isStopped && !this.isEnding) {
      this.isStopped = true;
      stage.command('cancel');
    } else if (roll < 20) {
      if (END.includes(stage.phase ?? '')) return false;
      this.isStopped = true;
      oracle.terminate();
      stage.command('terminate');
      expect(stage.phase).toBe('Terminated');
      this.checkEnds();
    } else if (roll < 26 && stage.air.size > 0 && !this.isStopped) {
      this.handOver();
    } else if (roll < 30) stage.wait(500);
    else return false;
    return true;
  }

  /** A run of the workflow ends and the next goes on: what ran begins again; what nobody had taken may lose its place to others. */
  private handOver(): void {
    const { stage, oracle } = this;
    if ([...stage.air.values()].some(({ isCancelled }) => isCancelled)) return;
    const before = stage.flying;
    const taken = before.filter((path) => stage.steps[path]?.phase !== 'Pending');
    stage.air.clear();
    const { length } = stage.log;
    stage.pass();
    const fresh = stage.log.splice(length).filter(({ about }) => !before.includes(about.replace(/^step\//, '')));
    stage.log.push(...fresh);
    const { flying } = stage;
    const kept = this.isPaused ? taken : before;
    expect(flying).toHaveLength(kept.length);
    expect(flying).toEqual(expect.arrayContaining(stage.spec.parallelism === undefined ? kept : taken));
    for (const path of before) if (isMain(path) && !flying.includes(path)) oracle.land(path, 'dropped');
  }

  /** Looks at everything that took off since the last look. */
  private observe(): void {
    const { stage, oracle } = this;
    if (this.dice.chance(10)) expect(JSON.stringify(workflowRun.plan(stage.view))).toBe(JSON.stringify(workflowRun.plan(stage.view)));
    const fresh = stage.log.slice(this.seen);
    this.seen = stage.log.length;
    for (const { about } of fresh) {
      if (about.startsWith('children')) continue;
      const path = about.replace(/^step\//, '');
      if (path.startsWith('undo.')) this.undoStarted(path.slice('undo.'.length));
      else if (path.startsWith('exit.')) this.exitStarted();
      else this.mainStarted(path);
    }
    for (const [path, { phase }] of Object.entries(stage.steps)) {
      if (phase === 'Suspended' && isMain(path) && !oracle.of(path).isWaiting && oracle.of(path).ok === undefined) {
        expect(oracle.objection(path)).toBeUndefined();
        oracle.suspend(path);
      }
    }
    for (const [path, { phase }] of Object.entries(stage.steps)) {
      if (phase !== 'Running' || !isMain(path) || oracle.of(path).started || !this.sketchAt(path)?.applies) continue;
      if (path.endsWith(']') || this.sketchAt(path)?.items === undefined) {
        expect(oracle.objection(path), `${path} applies`).toBeUndefined();
        expect(this.settledBefore, `${path} was done before the retry`).not.toContain(path);
        oracle.apply(path);
      }
    }
    this.isEnding = stage.status?.ending !== undefined || END.includes(stage.phase ?? '');
    if (this.isEnding) this.checkStill();
    this.awaited ||= stage.plan.landings ?? 1;
  }

  private sketchAt(path: string): Sketch | undefined {
    let level: readonly Sketch[] = this.made;
    let found: Sketch | undefined;
    for (const name of path.replace(/\[\d+\]/g, '').split('.')) {
      found = level.find((one) => one.name === name);
      level = found?.inner ?? [];
    }
    return found;
  }

  /** Once the steps have come out, they stay so. */
  private checkStill(): void {
    const now = Object.fromEntries(Object.entries(this.stage.phases).filter(([path]) => isMain(path)));
    this.cameOut ??= now;
    expect(now).toEqual(this.cameOut);
  }

  private mainStarted(path: string): void {
    const { oracle } = this;
    expect(this.isEnding, `${path} starts although the run is ending`).toBe(false);
    expect(this.isStopped, `${path} starts although the run was stopped`).toBe(false);
    expect(this.settledBefore, `${path} was done before the retry`).not.toContain(path);
    if (!oracle.of(path).started) expect(oracle.objection(path), `${path} starts`).toBeUndefined();
    oracle.start(path);
  }

  private undoStarted(path: string): void {
    expect(this.mainInAir).toEqual([]);
    expect(this.exits).toEqual([]);
    this.things.vanish(path);
    if (this.undone.at(-1) !== path) this.undone.push(path);
    expect(this.undone).toEqual(this.oracle.undoable().slice(0, this.undone.length));
  }

  private exitStarted(): void {
    expect(this.mainInAir).toEqual([]);
    expect(this.undone).toEqual(this.expectedUndo());
  }

  private get mainInAir(): string[] {
    return [...this.stage.air.keys()].filter((about) => about.startsWith('step/') && isMain(about.slice('step/'.length)));
  }

  private expectedUndo(): readonly string[] {
    const ending = this.stage.status?.ending as { readonly status?: string } | undefined;
    return ending && ending.status !== 'Succeeded' ? this.oracle.undoable() : [];
  }

  private checkEnds(): void {
    for (const [path, end] of this.oracle.ends()) expect(`${path} ${this.stage.phases[path]}`).toBe(`${path} ${end}`);
  }

  private checkEnd(): void {
    const { stage, oracle } = this;
    const { phases } = stage;
    this.checkKeys();
    if (stage.phase === 'Terminated') return;
    this.checkEnds();
    if (this.isStopped && oracle.judge().some(({ verdict }) => verdict === 'open') && !oracle.hasFailed())
      expect(stage.phase).toBe('Cancelled');
    const exitFailed = this.exitNames.some((name) => phases[`exit.${name}`] === 'Failed');
    if (!this.isStopped) expect(stage.phase).toBe(oracle.hasFailed() || exitFailed ? 'Failed' : 'Succeeded');
    const begun = stage.log.slice(this.logAt).filter(({ about }) => about.startsWith('step/exit.'));
    expect(new Set(begun.map(({ about }) => about))).toEqual(new Set(this.exitNames.map((name) => `step/exit.${name}`)));
    for (const name of this.exitNames) expect(['Succeeded', 'Failed']).toContain(phases[`exit.${name}`]);
    expect(this.exits.sort()).toEqual(this.exitNames.map((name) => `exit.${name}`).sort());
    expect(this.undone).toEqual(this.expectedUndo());
    expect(workflowRun.plan(stage.view).steps).toEqual([]);
  }

  /** The same key for the same wish: another one after an undo, and for the undo of what was done after that. */
  private checkKeys(): void {
    const last = new Map<string, { readonly key: unknown; readonly at: number }>();
    for (const [at, { about, input }] of this.stage.log.entries()) {
      const path = about.replace(/^step\//, '');
      if (path === about || path.startsWith('exit.')) continue;
      const other = path.startsWith('undo.') ? path.slice('undo.'.length) : `undo.${path}`;
      const before = last.get(path);
      const isAnew = before && (last.get(other)?.at ?? -1) > before.at;
      // What applies a manifest does not fly.
      const isKnown = before && (last.has(other) || !path.startsWith('undo.'));
      if (isKnown) expect(`${path} ${input.idempotencyKey !== before.key}`).toBe(`${path} ${isAnew}`);
      last.set(path, { key: input.idempotencyKey, at });
    }
  }

  private logAt = 0;

  private retry(): void {
    const { stage, oracle } = this;
    stage.now += 1;
    this.settledBefore = oracle.retry(this.undone);
    this.retries += 1;
    this.isStopped = false;
    this.isEnding = false;
    this.cameOut = undefined;
    this.undone = [];
    this.exits = [];
    this.logAt = stage.log.length;
    this.mischief = this.dice.below(6);
    const answer = stage.command('retry');
    expect(answer).toHaveProperty('steps');
    this.observe();
  }
}

function stageIsPaused(stage: Stage): boolean {
  return (stage.observed['control/run']?.value as { readonly paused?: boolean } | undefined)?.paused === true;
}

/** Lives in which the planner and the judge once disagreed, by what was not thought of. */
const KEPT: Readonly<Record<string, readonly number[]>> = {
  'what nobody had taken, and was called off, holds nobody up': [367642779, 2098840035, 816356861, 926813142, 1387288033],
  'only what had begun before a retry begins again': [
    441059834, 1195221384, 117167393, 1556625302, 1635515930, 1798183318, 1098781912, 1034844086, 1286557011, 681128507,
  ],
  'what had not ended when a run was terminated did not fail by itself': [673228229],
  'what was done deep inside a step stays known while the step waits again': [1490862495, 1458211896, 392583960],
  'what nobody had taken may lose its place when a run of the workflow hands over': [1658069650],
  'what was taken at last, and lost, goes on also while the run is paused': [1829391876],
  'a step with steps of its own has begun when it goes on after a retry': [1451951551],
  'what was cancelled stays so until the end': [301539930, 181694028, 1530917235, 1182340960],
};

/** The same of lives with resources. */
const KEPT_WITH_THINGS: typeof KEPT = {
  'what is made anew waits for its place among those that may be under way at once': [1282855657],
};

describe('random runs', () => {
  it(
    'keep every promise: needs first, all ends reached, exit once, undo backwards, retries only of what failed',
    () => {
      fc.assert(
        fc.property(fc.nat(), (seed) => new Life(new Dice(seed)).live()),
        { ...RUNS, endOnFailure: true },
      );
    },
    30_000 + 20 * RUNS.numRuns,
  );

  it(
    'keep them also where steps wait for what they apply: only what has failed is deleted, and made anew',
    () => {
      fc.assert(
        fc.property(fc.nat(), (seed) => new Life(new Dice(seed), true).live()),
        { ...RUNS, endOnFailure: true },
      );
    },
    30_000 + 20 * RUNS.numRuns,
  );

  it.each(Object.entries(KEPT))('%s', (_name, seeds) => {
    for (const seed of seeds) new Life(new Dice(seed)).live();
  });

  it.each(Object.entries(KEPT_WITH_THINGS))('%s', (_name, seeds) => {
    for (const seed of seeds) new Life(new Dice(seed), true).live();
  });
});
