import type { Instance, InstanceExit, InstanceProblem, InstanceRevision, InstanceWish, Sighting } from '../../core/instance.ts';

/** How instances of a template behave; read from its variable MODE. */
export type Mode =
  /** Ready at once. */
  | 'good'
  /** Ready after a while. */
  | 'slow'
  /** Runs, and is never ready. */
  | 'never'
  /** Ends as soon as it is started. */
  | 'crash'
  /** Ready at once, ends a little later. */
  | 'late'
  /** Runs, and its liveness probe fails. */
  | 'lame'
  /** Ends well as soon as it is started. */
  | 'done';

export const SLOW_MS = 20_000;
export const LATE_MS = 5_000;

/** An instance as it really is. */
export interface Box {
  readonly id: string;
  readonly node: string;
  readonly slot: number;
  readonly digest: string;
  readonly generation: number;
  readonly mode: Mode;
  state: Instance['state'];
  startedAt: number | undefined;
  readyAt: number;
  endsAt: number;
  exit: InstanceExit | undefined;
  unhealthy: boolean;
  handEdited: boolean;
}

/** Somebody cannot be asked: the engine, or who else the reason names. */
export class Unreachable extends Error {
  constructor(readonly reason = 'RuntimeUnreachable') {
    super('no answer');
  }
}

/** Nodes and what is on them, with the clock in hand. */
export class World {
  boxes: Box[] = [];
  readonly unreachable = new Set<string>();
  /** What starting a slot meets, by `node/slot`. */
  readonly problems = new Map<string, InstanceProblem>();
  /** Revisions that the nodes do not allow. */
  refuses: (revision: InstanceRevision) => boolean = () => false;
  readonly withoutRuntime = new Set<string>();
  /** Creates that somebody who was given up for dead may still carry out. */
  readonly zombies: (() => void)[] = [];
  /** Times of every start, by `node/slot/digest`. */
  readonly starts = new Map<string, number[]>();
  /** Called after every change, for whoever watches over the whole run. */
  changed: () => void = () => {};
  private ids = 0;
  private looks = 0;

  constructor(public now: number) {}

  isReady({ state, readyAt, unhealthy }: Box): boolean {
    return state === 'running' && readyAt <= this.now && !unhealthy;
  }

  /** When something happens of itself next. */
  get nextChange(): number {
    const times = this.boxes.flatMap(({ state, readyAt, endsAt }) => (state === 'running' ? [readyAt, endsAt] : []));
    return Math.min(Number.POSITIVE_INFINITY, ...times.filter((time) => time > this.now));
  }

  advance(to: number): void {
    this.now = Math.max(this.now, to);
    for (const box of this.boxes) if (box.state === 'running' && box.endsAt <= this.now) this.end(box, 1);
    this.changed();
  }

  look(node: string): Sighting {
    this.looks += 1;
    if (this.withoutRuntime.has(node)) return { asOf: { boot: 'none', seq: 0 }, instances: [] };
    const here = this.boxes.filter((box) => box.node === node).sort((a, b) => a.slot - b.slot || (a.id < b.id ? -1 : 1));
    return { asOf: { boot: 'b', seq: this.looks }, instances: here.map((box) => this.seen(box)) };
  }

  /** The effect of `ensure`: creates, adopts, starts, wakes up, or leaves alone. */
  ensure(node: string, revision: InstanceRevision, slot: number): InstanceProblem | undefined {
    const refusal: InstanceProblem = { reason: 'Blocked', message: 'It is not allowed.' };
    const problem = this.problems.get(`${node}/${slot}`) ?? (this.refuses(revision) ? refusal : undefined);
    let box = this.boxes.find((one) => one.node === node && one.slot === slot && one.digest === revision.digest);
    if (box?.state === 'running') return undefined;
    if (box?.state === 'dead') this.remove(box.id);
    if (problem) return { ...problem, digest: revision.digest };
    if (box?.state === 'paused') box.state = 'running';
    else {
      if (!box || box.state === 'dead') box = this.create(node, revision, slot);
      this.start(box);
    }
    this.tick();
    return undefined;
  }

  remove(id: string): void {
    this.boxes = this.boxes.filter((box) => box.id !== id);
    this.tick();
  }

  restart(id: string): void {
    const box = this.boxes.find((one) => one.id === id);
    if (!box) return;
    if (box.state === 'running') this.end(box, 143);
    this.start(box);
    this.tick();
  }

  /** Somebody, or something, ends it. */
  kill(box: Box, code = 137): void {
    if (box.state === 'running' || box.state === 'paused') this.end(box, code);
    this.tick();
  }

  /** A second one like it, made by hand. */
  clone(box: Box): void {
    this.boxes.push({ ...box, id: this.newId() });
    this.tick();
  }

  tick(): void {
    this.now += 1;
    this.changed();
  }

  private create(node: string, { digest, generation, template }: InstanceRevision, slot: number): Box {
    const box: Box = {
      id: this.newId(),
      node,
      slot,
      digest,
      generation,
      mode: (template.env.MODE ?? 'good') as Mode,
      state: 'created',
      startedAt: undefined,
      readyAt: Number.POSITIVE_INFINITY,
      endsAt: Number.POSITIVE_INFINITY,
      exit: undefined,
      unhealthy: false,
      handEdited: false,
    };
    this.boxes.push(box);
    return box;
  }

  private start(box: Box): void {
    const { now } = this;
    const key = `${box.node}/${box.slot}/${box.digest}`;
    this.starts.set(key, [...(this.starts.get(key) ?? []), now]);
    box.state = 'running';
    box.startedAt = now;
    box.unhealthy = box.mode === 'lame';
    box.readyAt = box.mode === 'never' ? Number.POSITIVE_INFINITY : box.mode === 'slow' ? now + SLOW_MS : now;
    box.endsAt = box.mode === 'late' ? now + LATE_MS : Number.POSITIVE_INFINITY;
    if (box.mode === 'crash') this.end(box, 1);
    if (box.mode === 'done') this.end(box, 0);
  }

  private end(box: Box, code: number): void {
    box.state = 'exited';
    box.unhealthy = false;
    box.exit = { code, at: new Date(this.now).toISOString(), ...(code === 0 ? {} : { log: 'it said this\nand then no more' }) };
  }

  private newId(): string {
    this.ids += 1;
    return `id-${String(this.ids).padStart(4, '0')}`;
  }

  private seen(box: Box): Instance {
    const { id, slot, digest, generation, state, startedAt, exit } = box;
    const ready = this.isReady(box);
    return {
      id,
      name: `app-${slot}-${digest.slice(0, 4)}`,
      slot,
      digest,
      generation,
      state,
      ready,
      ...(ready || state !== 'running' ? {} : { notReady: 'its probe fails' }),
      ...(box.unhealthy ? { unhealthy: 'it hangs' } : {}),
      ...(box.handEdited ? { handEdited: 'its memory limit was changed' } : {}),
      ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt).toISOString() }),
      ...(exit ? { exit } : {}),
    };
  }
}

/**
 * The activity `syncInstances`, one effect at a time: remove, then restart, then start, then say what is there.
 *
 * Whoever drives it may stop driving after any effect (the agent died), and begin anew (Temporal tries again).
 */
export function* carryOut(world: World, wish: InstanceWish, isCancelled: () => boolean): Generator<string, Sighting> {
  const { node, remove } = wish;
  const reach = (): void => {
    if (world.unreachable.has(node)) throw new Unreachable();
  };
  reach();
  if (world.withoutRuntime.has(node)) {
    const problems: InstanceProblem[] = [{ reason: 'RuntimeUnavailable', message: 'Node has no such runtime.' }];
    return { ...world.look(node), ...(remove === 'all' ? {} : { problems }) };
  }
  const listed = world.boxes.filter((box) => box.node === node).map(({ id }) => id);
  for (const id of listed.filter((one) => remove === 'all' || remove.some((other) => other.id === one))) {
    if (isCancelled()) break;
    reach();
    world.remove(id);
    yield `removed ${id}`;
  }
  for (const id of listed.filter((one) => wish.restart.some((other) => other.id === one))) {
    if (isCancelled()) break;
    reach();
    world.restart(id);
    yield `restarted ${id}`;
  }
  const problems: InstanceProblem[] = [];
  for (const { slots, ...revision } of wish.revisions) {
    for (const slot of slots.filter((one) => !wish.resting.includes(one))) {
      if (isCancelled()) break;
      reach();
      const problem = world.ensure(node, revision, slot);
      if (problem) problems.push({ ...problem, slot });
      yield `started ${slot}`;
    }
  }
  reach();
  return { ...world.look(node), ...(problems.length > 0 ? { problems } : {}) };
}
