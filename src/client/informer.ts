import type { Resource } from '../../definitions/core/resource.ts';
import type { ColonyError } from './errors.ts';
import { asColonyError } from './failures.ts';
import { inParallel } from './in-parallel.ts';
import { CatchUp } from './informer/catch-up.ts';
import type { Change } from './informer/change.ts';
import { held } from './informer/held.ts';
import { Ring } from './informer/ring.ts';
import { ServerClock } from './informer/server-clock.ts';
import type { Source } from './informer/source.ts';
import { Store } from './informer/store.ts';
import { pause } from './pause.ts';
import { memoObject, publishedOf } from './published.ts';
import { newestRows, type Row } from './row.ts';

export interface InformerOptions {
  /** Between two looks at what changed; default 500. */
  readonly pollMs?: number;
  /** Between two complete lists; default 5 minutes. */
  readonly relistMs?: number;
  /** How many changes are kept for watchers; default 10,000. */
  readonly remembered?: number;
}

/** How far back a look reaches beyond the last one: the index may show a row late. Rarely far, mostly near, because it costs rows. */
const OVERLAP_MS = { near: 3_000, far: 30_000 };
const FAR_EVERY = 8;
const CALLS_AT_ONCE = 16;
const MAX_BACK_OFF_MS = 10_000;

/**
 * Keeps a copy of the resources in this process and says what changes; everybody who lists or watches shares it.
 *
 * Guarantees: nothing is missed for longer than until the next complete list, also while resources roll over; no change is said
 * twice; it outlives Temporal's absence and goes on where it was. What is missing in a list is gone only if a describe says so.
 * It keeps a process alive only while somebody waits for it.
 */
export class Informer {
  readonly #store = new Store();
  readonly #ring: Ring;
  readonly #clock = new ServerClock();
  readonly #stop = new AbortController();
  readonly #catchUp: CatchUp;
  readonly #options: Required<InformerOptions>;
  #running: Promise<void> | undefined;
  #synced: { promise: Promise<void>; resolve: () => void };
  #hasSynced = false;
  #listedAt = 0;
  #lastLook: number | undefined;
  #looks = 0;

  /** Why the last look failed; undefined while all is well. */
  trouble: ColonyError | undefined;

  constructor(
    private readonly source: Source,
    { pollMs = 500, relistMs = 5 * 60_000, remembered = 10_000 }: InformerOptions = {},
  ) {
    this.#options = { pollMs, relistMs, remembered };
    this.#ring = new Ring(remembered);
    this.#catchUp = new CatchUp(
      (row) => source.resource(row),
      (row, resource) => resource && this.#say(this.#store.put(row.workflowId, resource)),
      this.#stop.signal,
    );
    this.#synced = withResolvers();
  }

  /** Starts it if need be and comes back when the first complete list is in. */
  async ready(): Promise<this> {
    this.#running ??= this.#run();
    await held(this.#synced.promise);
    return this;
  }

  close(): void {
    this.#stop.abort();
  }

  /** Whether the first list is in, as a health check asks. */
  get isSynced(): boolean {
    return this.#hasSynced;
  }

  /** What is known now, with the position and the resourceVersion from which a watch goes on. */
  snapshot(): {
    readonly resources: readonly (readonly [string, Resource])[];
    readonly position: number;
    readonly resourceVersion: string;
  } {
    return { resources: [...this.#store.all()], position: this.#ring.end, resourceVersion: String(this.#store.highest) };
  }

  /** Where to go on after this resourceVersion. Throws GoneError. */
  positionOf(resourceVersion: string): number {
    return this.#ring.positionOf(resourceVersion);
  }

  /** Changes after a position, as they come; ends when the signal aborts or the informer closes. Throws GoneError when it is read too slowly. */
  async *changes(position: number, signal?: AbortSignal): AsyncGenerator<Change> {
    const ended = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal;
    for (let at = position; !ended.aborted; ) {
      const changes = this.#ring.after(at);
      at += changes.length;
      for (const change of changes) {
        if (ended.aborted) return;
        yield change;
      }
      await held(this.#ring.wait(at, ended));
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const mark = this.#clock.mark();
        if (!this.#hasSynced || mark - this.#listedAt > this.#options.relistMs) await this.#relist(mark);
        else await this.#look();
        this.#lastLook = mark;
        failures = 0;
        this.trouble = undefined;
      } catch (error) {
        failures += 1;
        this.trouble = asColonyError(error, 'the informer');
      }
      const pauseMs = failures === 0 ? this.#options.pollMs : Math.min(MAX_BACK_OFF_MS, this.#options.pollMs * 2 ** Math.min(failures, 10));
      await pause(pauseMs, { signal, idle: true });
    }
    this.#synced.resolve();
  }

  async #relist(mark: number): Promise<void> {
    const seen = new Set<string>();
    for await (const page of this.source.existing()) {
      for (const { workflowId } of page) seen.add(workflowId);
      const behind = this.#takeOpen(page);
      if (this.#hasSynced) for (const row of behind) this.#catchUp.owe(row);
      else await inParallel(behind, CALLS_AT_ONCE, (row) => this.#read(row));
    }
    await inParallel(this.#store.missing(seen), CALLS_AT_ONCE, (id) => this.#confirm(id));
    this.#listedAt = mark;
    this.#looks = 0;
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    this.#ring.begin(this.#store.highest);
    this.#synced.resolve();
  }

  async #look(): Promise<void> {
    const isFar = this.#looks++ % FAR_EVERY === 0;
    const last = this.#lastLook === undefined ? undefined : this.#clock.at(this.#lastLook);
    const since = last === undefined ? undefined : last - (isFar ? OVERLAP_MS.far : OVERLAP_MS.near);
    const open = [...(await this.source.changed(since))];
    if (isFar && since !== undefined) open.push(...(await this.source.started(since)));
    for (const row of this.#takeOpen(open)) this.#catchUp.owe(row);
    for (const row of await this.source.ended(since)) await this.#takeEnded(row);
  }

  /** Takes what the rows hold; returns those that are behind what their workflow knows. */
  #takeOpen(page: readonly Row[]): Row[] {
    for (const row of page) this.#notice(row);
    const news = newestRows(page).filter(({ workflowId, version }) => this.#store.isNews(workflowId, version ?? 0));
    return news.filter((row) => !this.#take(row));
  }

  /** True when the row held the whole resource in force. */
  #take(row: Row): boolean {
    const resource = memoObject(row);
    if (resource) this.#say(this.#store.put(row.workflowId, resource));
    const isWhole = publishedOf(row) !== undefined;
    if (isWhole) this.#catchUp.drop(row.workflowId);
    return isWhole;
  }

  async #read(row: Row): Promise<void> {
    const answer = await this.source.resource(row);
    if (answer === 'silent') this.#catchUp.owe(row);
    else if (answer) this.#say(this.#store.put(row.workflowId, answer));
  }

  /** A run that completed is a resource that is gone, unless it was another incarnation or one that never got a spec. */
  async #takeEnded(row: Row): Promise<void> {
    this.#notice(row);
    const { workflowId, memo } = row;
    const held = this.#store.get(workflowId);
    if (!held && !this.#catchUp.has(workflowId)) return;
    if (!held || !memo || !row.completed) return this.#confirm(workflowId);
    this.#say(this.#store.remove(workflowId, memo.meta.uid, memoObject(row)));
  }

  /** Asks the truth about an id that the index no longer shows. */
  async #confirm(workflowId: string): Promise<void> {
    const held = this.#store.get(workflowId);
    const row = await this.source.describe(workflowId);
    if (!row) this.#catchUp.drop(workflowId);
    if (held && row?.memo?.meta.uid !== held.metadata.uid) {
      if (!row || row.memo) this.#say(this.#store.remove(workflowId, held.metadata.uid));
    }
    if (row && !this.#take(row)) this.#catchUp.owe(row);
  }

  #notice({ startedAt, changedAt, closedAt }: Row): void {
    this.#clock.saw(startedAt);
    this.#clock.saw(changedAt);
    this.#clock.saw(closedAt);
  }

  /** Before the first list is in there is nobody to tell. */
  #say(changes: readonly Change[]): void {
    if (this.#hasSynced) this.#ring.append(changes);
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
