import { GoneError } from '../errors.ts';
import { type Change, versionOf } from './change.ts';

/**
 * The last changes, in the order in which they were seen. Readers hold a position and come back for what follows it.
 *
 * Guarantees: a reader gets every change after its position once and in order, or GoneError when some of them are no longer held.
 */
export class Ring {
  #held: Change[] = [];
  /** Position of the first change held. */
  #start = 0;
  /** The version of the list that this ring began with, and the position after it. */
  #origin: { version: number; position: number } | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly capacity = 10_000) {}

  /** The position after the last change. */
  get end(): number {
    return this.#start + this.#held.length;
  }

  /** Says that a whole list of this version has been seen: a watch may begin here. */
  begin(version: number): void {
    this.#origin = { version, position: this.end };
    this.#wake();
  }

  append(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    for (const change of changes) this.#held.push(change);
    const surplus = this.#held.length - this.capacity;
    if (surplus > this.capacity / 4) {
      this.#held = this.#held.slice(surplus); // now and then, not at every change
      this.#start += surplus;
    }
    this.#wake();
  }

  after(position: number): readonly Change[] {
    if (position < this.#start) throw new GoneError('too many changes came since this watch was last read');
    return this.#held.slice(position - this.#start);
  }

  /**
   * Where a watch goes on whose last word was this resourceVersion. Versions are not seen in their order, so this is a position,
   * never a comparison; a change with the same version may come twice, none is left out. Throws GoneError.
   */
  positionOf(resourceVersion: string): number {
    const version = Number(resourceVersion);
    if (this.#origin?.version === version && this.#origin.position >= this.#start) return this.#origin.position;
    const index = this.#held.findIndex(({ resource }) => versionOf(resource) === version);
    if (index < 0) throw new GoneError(`the changes since version ${resourceVersion} are not remembered here`);
    return this.#start + index + 1;
  }

  /** Comes back when something follows the position, or when the signal aborts. */
  async wait(position: number, signal?: AbortSignal): Promise<void> {
    if (this.end > position || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal?.addEventListener('abort', done);
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
