/** The times that an engine tells of a container. */
export interface Life {
  readonly Status: string;
  readonly StartedAt: string;
  readonly FinishedAt: string;
}

/** What a container said in one life, as the engine's log takes it: seconds with a fraction. Its log is one file for all its lives. */
export interface Spoken {
  /** Undefined: from the very beginning. */
  readonly since: string | undefined;
  readonly until?: string;
}

/** How much earlier than the engine says the first words of a life may come: it looks at its clock after the start. */
const EARLY_MS = 100;
/** How much later than the end the last words may be written down. */
const LATE_MS = 100;
/** The one that goes on, and the one before. */
const KEPT = 2;

/**
 * Tells the lives of containers apart.
 *
 * The engine knows the last start and the last end alone, so what a look showed is kept for the looks after it.
 * Caveats: of a container that was started twice while nobody looked, all lives before the last count as one.
 */
export class Lives {
  readonly #known = new Map<string, readonly (Spoken & { readonly startedAt: string })[]>();

  /** Takes in what an inspect shows. `endedAt`: of the last end that is known otherwise. */
  see(id: string, life: Life, endedAt?: string): void {
    const known = this.#known.get(id) ?? [];
    const started = millis(life.StartedAt);
    // Of two looks at once, the older one may come later.
    if (started === undefined || started <= (millis(known.at(-1)?.startedAt) ?? 0)) return;
    const since = beginning(life, endedAt);
    this.#known.set(id, [...known, { startedAt: life.StartedAt, since }].slice(-KEPT));
  }

  /** Its current life, or its last; undefined: nobody has seen it live. */
  last(id: string): Spoken | undefined {
    return this.#known.get(id)?.at(-1);
  }

  /** The life before that; undefined when there was none. */
  before(id: string): Spoken | undefined {
    const known = this.#known.get(id) ?? [];
    const until = known.at(-1)?.since;
    return until === undefined ? undefined : { since: known.at(-KEPT)?.since, until };
  }

  forget(id: string): void {
    this.#known.delete(id);
  }
}

/** The moment between a container's current (or last) life and the one before; undefined: it never lived before. */
function beginning({ Status, StartedAt, FinishedAt }: Life, endedAt: string | undefined): string | undefined {
  const started = millis(StartedAt)!;
  const isOver = Status === 'exited' || Status === 'dead';
  // Running: the end that the engine knows is that of the life before.
  const finished = millis(isOver ? endedAt : FinishedAt);
  if (finished !== undefined && finished <= started) return seconds(finished + Math.min(LATE_MS, (started - finished) / 2));
  return isOver || finished !== undefined ? seconds(started - EARLY_MS) : undefined;
}

const seconds = (moment: number): string => (moment / 1000).toFixed(3);

function millis(text: string | undefined): number | undefined {
  const time = text === undefined || text.startsWith('0001-') ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
