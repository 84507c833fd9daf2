import type { IncomingMessage } from 'node:http';
import type { EngineClient, Labels, Listed } from './engine-client.ts';

/** Something that happened in the engine, in its own words and by its own clock. */
export interface EngineEvent {
  /** Milliseconds, with fractions. */
  readonly at: number;
  readonly type: string;
  readonly action: string;
  readonly id: string;
  readonly attributes: Labels;
}

/** Two or more containers that were there at once, for the same owner, slot and digest. */
export interface Duplicate {
  readonly at: number;
  readonly key: string;
  readonly names: readonly string[];
}

interface Tracked {
  readonly id: string;
  readonly key: string | undefined;
  readonly labels: Labels;
  name: string;
  isRunning: boolean;
}

interface RawEvent {
  readonly Type: string;
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Labels };
  readonly timeNano: number;
}

const TYPES = ['container', 'network', 'volume', 'image'];
const MARKER = 'colony-test-marker';
let markers = 0;
/** What only somebody's wish brings about; `die` or `oom` happen by themselves, `connect` comes with a start. */
const OPERATIONS = new Set([
  'create',
  'start',
  'restart',
  'stop',
  'kill',
  'pause',
  'unpause',
  'rename',
  'update',
  'destroy',
  'remove',
  'prune',
  'pull',
  'delete',
  'untag',
  'tag',
]);

/**
 * Follows an engine's events from before a test, and folds them into what was there at each moment.
 *
 * Guarantees: nothing between `start` and `caughtUp` is missed while the engine runs. Caveats: an engine that went away has
 * forgotten what it did last; what is there when it is back counts from then on. It remembers 256 events, should it be cut off.
 */
export class Recorder {
  readonly events: EngineEvent[] = [];
  readonly duplicates: Duplicate[] = [];
  /** How often the connection was cut. */
  gaps = 0;
  readonly #there = new Map<string, Tracked>();
  readonly #gone = new Set<string>();
  readonly #peaks: { readonly isMeant: (labels: Labels) => boolean; existing: number; running: number }[] = [];
  #stream: IncomingMessage | undefined;
  #isStopped = false;
  /** Until when everything was heard, in milliseconds; told again when the connection was cut. */
  #latest = Date.now();
  readonly #known = new Set<string>();
  /** Markers that came back; other observers of the engine have theirs. */
  readonly #heard = new Set<string>();

  private constructor(
    private readonly engine: EngineClient,
    private readonly isMeant: (labels: Labels) => boolean,
  ) {}

  /**
   * Comes back when nothing can be missed any more. Test files share an engine: name the labels that are meant, or hear of
   * everybody's containers, images, networks and volumes.
   */
  static async start(engine: EngineClient, isMeant: (labels: Labels) => boolean = () => true): Promise<Recorder> {
    const recorder = new Recorder(engine, isMeant);
    await recorder.#follow();
    await recorder.caughtUp();
    recorder.events.length = 0; // of the moment before
    return recorder;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stream?.destroy();
  }

  /** Waits until everything that has happened so far was heard of. */
  async caughtUp(withinMs = 60_000): Promise<void> {
    const marker = `${MARKER}-${process.pid}-${++markers}`;
    await this.engine.mark(marker);
    for (const end = Date.now() + withinMs; !this.#heard.has(marker); await pause(5)) {
      if (Date.now() > end) throw new Error(`the engine told nothing for ${withinMs / 1000} s`);
    }
  }

  /** What somebody has asked for since then, and the engine has done: empty while everything stays settled. */
  operations(since = 0, until = Number.POSITIVE_INFINITY): string[] {
    return this.events
      .filter(({ at, action }) => at >= since && at <= until && OPERATIONS.has(action))
      .map(({ type, action, id, attributes }) => `${action} ${type} ${attributes.name ?? id}`);
  }

  /** Counts, from now on, how many of the meant containers are there at most, and how many of them run. */
  peakOf(isMeant: (labels: Labels) => boolean): { readonly existing: number; readonly running: number } {
    const peak = { isMeant, existing: 0, running: 0 };
    this.#peaks.push(peak);
    this.#measure();
    return peak;
  }

  async #follow(): Promise<void> {
    // The answer begins before the engine listens to itself; it keeps what happened last, and tells that from `since` on.
    const since = (this.#latest / 1000).toFixed(3);
    const filters = encodeURIComponent(JSON.stringify({ type: TYPES }));
    const stream = await this.engine.open(`/events?since=${since}&filters=${filters}`);
    this.#stream = stream;
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line) this.#hear(JSON.parse(line) as RawEvent);
    });
    stream.on('error', () => {}); // told by its close
    stream.on('close', () => void this.#return());
    const before = [...this.#there.keys()];
    this.#take(before, await this.engine.list());
  }

  async #return(): Promise<void> {
    if (this.#isStopped) return;
    this.gaps += 1;
    while (!this.#isStopped) {
      try {
        return await this.#follow();
      } catch {
        await pause(50);
      }
    }
  }

  /** What is there now, whatever was missed. */
  #take(before: readonly string[], listed: readonly Listed[]): void {
    const ids = new Set(listed.map(({ Id }) => Id));
    for (const id of before) if (!ids.has(id)) this.#there.delete(id);
    for (const { Id, Names, Labels, State } of listed) {
      if (this.#gone.has(Id) || !this.isMeant(Labels)) continue;
      const tracked = this.#track(Id, Names[0]?.slice(1) ?? Id, Labels);
      tracked.isRunning = State === 'running' || State === 'paused' || State === 'restarting';
    }
    this.#judge(Date.now());
  }

  #hear({ Type, Action, Actor, timeNano }: RawEvent): void {
    // `exec_start: sh -c …` and the like.
    const event = { at: timeNano / 1e6, type: Type, action: Action.split(':')[0] ?? Action, id: Actor.ID, attributes: Actor.Attributes };
    const identity = `${timeNano} ${event.id} ${Action}`;
    if (this.#known.has(identity)) return;
    this.#known.add(identity);
    this.#latest = Math.max(this.#latest, Math.floor(event.at));
    if (event.id.startsWith(MARKER)) {
      if (event.action === 'destroy') this.#heard.add(event.id);
      return;
    }
    if (!this.isMeant(event.attributes)) return;
    this.events.push(event);
    if (Type === 'container') this.#fold(event);
  }

  #fold({ at, action, id, attributes }: EngineEvent): void {
    if (action === 'create') this.#track(id, attributes.name ?? id, attributes);
    const tracked = this.#there.get(id);
    if (tracked && action === 'rename') tracked.name = attributes.name ?? tracked.name;
    if (tracked && action === 'start') tracked.isRunning = true;
    if (tracked && action === 'die') tracked.isRunning = false;
    if (action === 'destroy') {
      this.#there.delete(id);
      this.#gone.add(id);
    }
    this.#judge(at);
  }

  #track(id: string, name: string, labels: Labels): Tracked {
    const known = this.#there.get(id);
    if (known) return known;
    // An engine gives a name to one at a time, and tells of an end a little after it: whoever had the name is gone.
    for (const other of this.#there.values()) if (other.name === name) this.#there.delete(other.id);
    const tracked = { id, name, labels, key: keyOf(labels), isRunning: false };
    this.#there.set(id, tracked);
    return tracked;
  }

  #judge(at: number): void {
    const byKey = new Map<string, string[]>();
    for (const { key, name } of this.#there.values()) if (key) byKey.set(key, [...(byKey.get(key) ?? []), name]);
    for (const [key, names] of byKey) if (names.length > 1) this.#report({ at, key, names: names.sort() });
    this.#measure();
  }

  /** Once for each set of them. */
  #report(found: Duplicate): void {
    const isSame = ({ key, names }: Duplicate): boolean => key === found.key && names.join() === found.names.join();
    if (!this.duplicates.some(isSame)) this.duplicates.push(found);
  }

  #measure(): void {
    for (const peak of this.#peaks) {
      const meant = [...this.#there.values()].filter(({ labels }) => peak.isMeant(labels));
      peak.existing = Math.max(peak.existing, meant.length);
      peak.running = Math.max(peak.running, meant.filter(({ isRunning }) => isRunning).length);
    }
  }
}

/** Undefined for a stranger. */
function keyOf(labels: Labels): string | undefined {
  const { 'colony.uid': uid, 'colony.slot': slot, 'colony.digest': digest } = labels;
  return uid && slot && digest ? `${uid}/${slot}/${digest}` : undefined;
}

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));
