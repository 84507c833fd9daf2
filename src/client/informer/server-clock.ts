/** A sighting further ahead of this machine's clock is not believed: one wrong row must not make the informer blind. */
const MAX_AHEAD_MS = 10 * 60_000;

/**
 * What time it is at the server, told by the times in its rows; the two machines' clocks need not agree.
 *
 * Guarantees: never ahead of the server (a time that was seen has passed there), and it goes on while nothing is seen.
 */
export class ServerClock {
  #ahead: number | undefined;

  constructor(
    private readonly monotonic: () => number = () => performance.now(),
    private readonly wall: () => number = () => Date.now(),
  ) {}

  /** A mark to be read with `at` later. */
  mark(): number {
    return this.monotonic();
  }

  saw(serverMs: number | undefined): void {
    if (serverMs === undefined || !Number.isFinite(serverMs) || serverMs > this.wall() + MAX_AHEAD_MS) return;
    const ahead = serverMs - this.monotonic();
    if (this.#ahead === undefined || ahead > this.#ahead) this.#ahead = ahead;
  }

  /** Server time at a mark, as early as it can have been; undefined while nothing was seen. */
  at(mark: number): number | undefined {
    return this.#ahead === undefined ? undefined : this.#ahead + mark;
  }
}
