import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** A container as the engine's own events tell of it. */
export interface Sight {
  readonly id: string;
  readonly version: string;
  isRunning: boolean;
}

/** Something that happened to a container of a group; `at`: ms since the epoch, by the engine. */
export interface Happening {
  readonly action: 'create' | 'start' | 'die' | 'destroy';
  readonly id: string;
  readonly at: number;
}

interface EngineEvent {
  readonly Action: Happening['action'];
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
  readonly timeNano: number;
}

/** Asked after each happening, with what is there then. */
export type Question = (happening: Happening, there: readonly Sight[]) => boolean;

const ACTIONS = ['create', 'start', 'die', 'destroy'] satisfies Happening['action'][];
/** The engine says that the stream has begun a little before it listens. */
const LISTENS_AFTER_MS = 500;

/**
 * Sees what runs on an engine, on a connection of its own and whoever made it run: the judge of all contenders.
 *
 * Times are those the engine gave its events, so it matters not when they were read.
 */
export class Lookout {
  private readonly groups = new Map<string, Map<string, Sight>>();
  private readonly seen = new Map<string, Happening[]>();
  private readonly waiting = new Set<(group: string, happening: Happening) => void>();

  private constructor(private readonly stream: IncomingMessage) {
    createInterface({ input: stream }).on('line', (line) => this.take(JSON.parse(line) as EngineEvent));
  }

  static async open(socketPath: string): Promise<Lookout> {
    const filters = JSON.stringify({ type: ['container'], event: ACTIONS });
    const stream = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ socketPath, path: `/events?filters=${encodeURIComponent(filters)}` }, resolve)
        .on('error', reject)
        .end();
    });
    const lookout = new Lookout(stream);
    await sleep(LISTENS_AFTER_MS);
    return lookout;
  }

  close(): void {
    this.stream.destroy();
  }

  there(group: string): readonly Sight[] {
    return [...(this.groups.get(group)?.values() ?? [])];
  }

  /** Everything that has happened in the group, in order. */
  happenings(group: string): readonly Happening[] {
    return this.seen.get(group) ?? [];
  }

  /** The moment of the next happening in the group for which it is so. Call it before whatever makes it so. */
  next(group: string, isSo: Question, withinMs = 120_000): Promise<number> {
    return new Promise((resolve, reject) => {
      const over = (): void => {
        clearTimeout(timer);
        this.waiting.delete(look);
      };
      const timer = setTimeout(() => {
        over();
        const running = this.there(group).filter(({ isRunning }) => isRunning).length;
        reject(new Error(`${group} is not there after ${withinMs / 1000} s: ${this.there(group).length} containers, ${running} running`));
      }, withinMs);
      const look = (of: string, happening: Happening): void => {
        if (of !== group || !isSo(happening, this.there(group))) return;
        over();
        resolve(happening.at);
      };
      this.waiting.add(look);
    });
  }

  private take({ Action: action, Actor: { ID: id, Attributes: labels }, timeNano }: EngineEvent): void {
    const group = labels['com.docker.swarm.service.name'] ?? labels['colony.name'];
    if (group === undefined) return;
    const sights = this.groups.get(group) ?? new Map<string, Sight>();
    this.groups.set(group, sights);
    const sight = sights.get(id) ?? { id, version: labels['colony-test.version'] ?? '', isRunning: false };
    sights.set(id, sight);
    if (action === 'start') sight.isRunning = true;
    if (action === 'die') sight.isRunning = false;
    if (action === 'destroy') sights.delete(id);
    const happening = { action, id, at: timeNano / 1e6 };
    this.seen.set(group, [...(this.seen.get(group) ?? []), happening]);
    for (const look of [...this.waiting]) look(group, happening);
  }
}

/** That many run. */
export const runs =
  (count: number): Question =>
  (_, there) =>
    there.filter(({ isRunning }) => isRunning).length === count;

/** One has started, and now that many run. */
export const isBack =
  (count: number): Question =>
  (happening, there) =>
    happening.action === 'start' && runs(count)(happening, there);

/** That many of the version run, and nothing of another. */
export const runsOnly =
  (version: string, count: number): Question =>
  (_, there) => {
    const running = there.filter(({ isRunning }) => isRunning);
    return running.length === count && running.every((one) => one.version === version);
  };

/** Nothing is left, not even what has ended. */
export const isGone: Question = (_, there) => there.length === 0;
