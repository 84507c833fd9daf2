import type { InstanceExit } from '../../../definitions/core/instance.ts';
import type { Seen } from '../runtime.ts';
import { Lives } from './lives.ts';
import { Overdue } from './overdue.ts';

/** The last inspect of a container. */
export interface Inspection {
  readonly seen: Seen;
  /** Ids of the networks it is in. */
  readonly networks: readonly string[];
}

function asEnded({ ports: _ports, notReady: _notReady, unhealthy: _unhealthy, ...seen }: Seen, exit: InstanceExit): Seen {
  return { ...seen, state: 'exited', ready: false, exit };
}

const KILLED = 137;
/** Want of memory and the end that came of it are told within this time. */
const SAME_END_MS = 10_000;

/** Containers come and go: their counts must not pile up. */
const MAX_DROPS = 10_000;

/**
 * What was learned of our containers, so that a list need not inspect them all.
 *
 * Guarantees: an inspection is handed out only while events of the engine come in, and only if none came since it began.
 */
export class Known {
  readonly lives = new Lives();
  readonly overdue = new Overdue();
  readonly #inspections = new Map<string, Inspection>();
  readonly #exits = new Map<string, InstanceExit>();
  /** When the kernel last ended something in it for want of memory. */
  readonly #starved = new Map<string, string>();
  /** Counts the drops of each id: an inspect that was under way meanwhile is too old. */
  readonly #drops = new Map<string, number>();
  /** Counts what makes every inspect under way too old. */
  #epoch = 0;
  #isWatching = false;

  /** Events come in from now on; what happened before is unknown. */
  watching(): void {
    this.#clear();
    this.#isWatching = true;
  }

  blind(): void {
    this.#isWatching = false;
    this.#clear();
  }

  inspection(id: string): Inspection | undefined {
    return this.#isWatching ? this.#inspections.get(id) : undefined;
  }

  /** To be called before an inspect; stores its result if nothing has happened since. */
  begin(id: string): (inspection: Inspection) => void {
    const [epoch, drops] = [this.#epoch, this.#drops.get(id)];
    return (inspection) => {
      if (this.#epoch === epoch && this.#drops.get(id) === drops) this.#inspections.set(id, inspection);
    };
  }

  drop(id: string): void {
    this.#inspections.delete(id);
    this.#drops.set(id, (this.#drops.get(id) ?? 0) + 1);
    if (this.#drops.size > MAX_DROPS) this.#clear();
  }

  /**
   * A look that says that it runs was made after the start, so it still holds; so does one that is under way.
   * Should that one be older after all, its state differs from the next listing's.
   */
  started(id: string): void {
    if (this.#inspections.get(id)?.seen.state !== 'running') this.#inspections.delete(id);
  }

  /** What events tell of an end is all that an inspect would, which has to wait until the engine has cleaned up. */
  died(id: string, exit: InstanceExit): void {
    const before = this.#inspections.get(id);
    this.drop(id);
    if (before?.seen.state !== 'running') return;
    this.#inspections.set(id, { ...before, seen: asEnded(before.seen, this.ended(id, exit)) });
  }

  /** The kernel ended something in it for want of memory; its own end is told before or after that. True when it changes what is known. */
  starved(id: string, at: string): boolean {
    this.#starved.set(id, at);
    const exit = this.#exits.get(id);
    if (!exit || exit.outOfMemory || !isOfHunger(exit, at)) return false;
    this.ended(id, exit);
    return true;
  }

  /** Its last end: the engine forgets it when the container is started again. */
  exit(id: string): InstanceExit | undefined {
    return this.#exits.get(id);
  }

  /** Takes in how it ended, and answers with all that is known of that: whoever tells it may not have heard that memory was wanting. */
  ended(id: string, exit: InstanceExit): InstanceExit {
    const whole = isOfHunger(exit, this.#starved.get(id)) ? { ...exit, outOfMemory: true } : exit;
    this.#exits.set(id, whole);
    const inspection = this.#inspections.get(id);
    if (inspection?.seen.exit?.at === whole.at) this.#inspections.set(id, { ...inspection, seen: { ...inspection.seen, exit: whole } });
    return whole;
  }

  gone(id: string): void {
    this.drop(id);
    this.#exits.delete(id);
    this.#starved.delete(id);
    this.lives.forget(id);
    this.overdue.forget(id);
  }

  #clear(): void {
    this.#inspections.clear();
    this.#drops.clear();
    this.#starved.clear();
    this.#epoch += 1;
  }
}

function isOfHunger({ code, at }: InstanceExit, starvedAt: string | undefined): boolean {
  return code === KILLED && starvedAt !== undefined && Math.abs(Date.parse(at) - Date.parse(starvedAt)) < SAME_END_MS;
}
