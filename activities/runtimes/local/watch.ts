import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';
import type { Place } from './place.ts';
import { isRunning } from './process-identity.ts';
import { lastRun, type Run } from './run.ts';

const GLANCE_EVERY_MS = 500;
/** Every so many glances somebody looks at everything: at what other processes changed, and at what a watch missed. */
const GLANCES_PER_LOOK = 10;

export interface Watched {
  readonly place: Place;
  readonly owner: InstanceOwner;
  /** Nobody is told of it. */
  readonly isQuiet?: boolean;
}

interface Known extends Watched {
  run: Run | undefined;
  readonly watcher: FSWatcher | undefined;
}

/**
 * Tells when an instance begins, ends, comes or goes.
 *
 * Costs one look at the process table per running instance and glance; an end that a shim noted is seen at once.
 */
export class InstanceWatch {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly everything: () => readonly Watched[],
    private readonly onChange: (owner: InstanceOwner) => void,
    /** Called at every glance with each run that may be writing, and once more when it has ended. */
    private readonly onGlance: (place: Place, run: number) => void,
  ) {}

  /** Until the signal; fails as looking does. */
  async keepWatching(onReady: () => void, signal: AbortSignal): Promise<void> {
    try {
      this.look({ isFirst: true });
      onReady();
      for (let glances = 1; !signal.aborted; glances++) {
        await pause(GLANCE_EVERY_MS, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        if (glances % GLANCES_PER_LOOK === 0) this.look({ isFirst: false });
        else this.glance();
      }
    } finally {
      for (const { watcher } of this.known.values()) watcher?.close();
      this.known.clear();
    }
  }

  /** Something was just done to this instance. */
  lookAt(watched: Watched): void {
    const { id } = watched.place;
    const known = this.known.get(id);
    const run = lastRun(watched.place);
    if (known && isSame(known.run, run)) return;
    const watcher = known?.watcher ?? this.watchRuns(watched);
    this.known.set(id, { ...watched, run, watcher });
    if (run) this.onGlance(watched.place, run.number);
    if (!watched.isQuiet) this.onChange(watched.owner);
  }

  /** This instance was just removed. */
  forget(id: string): void {
    const known = this.known.get(id);
    if (!known) return;
    this.known.delete(id);
    known.watcher?.close();
    if (!known.isQuiet) this.onChange(known.owner);
  }

  private look({ isFirst }: { isFirst: boolean }): void {
    const all = this.everything();
    for (const watched of all) {
      if (isFirst) this.known.set(watched.place.id, { ...watched, run: lastRun(watched.place), watcher: this.watchRuns(watched) });
      else this.lookAt(watched);
    }
    const ids = new Set(all.map(({ place }) => place.id));
    for (const id of this.known.keys()) if (!ids.has(id)) this.forget(id);
  }

  private glance(): void {
    for (const known of this.known.values()) {
      const { run, place } = known;
      if (!run?.leader || run.state === 'ended') continue;
      this.onGlance(place, run.number);
      if (!isRunning(run.leader)) this.lookAt(known);
    }
  }

  /** Without it, ends are seen at the next glance, starts at the next look. */
  private watchRuns(watched: Watched): FSWatcher | undefined {
    try {
      const watcher = watch(watched.place.runs, { persistent: false }, () => this.lookAgain(watched));
      return watcher.on('error', () => undefined);
    } catch {
      return undefined;
    }
  }

  private lookAgain(watched: Watched): void {
    try {
      if (this.known.has(watched.place.id)) this.lookAt(watched);
    } catch {
      // Nobody waits for this look; the next one fails where somebody does.
    }
  }
}

const isSame = (a: Run | undefined, b: Run | undefined): boolean => a?.number === b?.number && a?.state === b?.state;
