/** Handles the newest value of each key: one at a time per key, many keys at once; what is overtaken while it waits is skipped. */
export class Latest<T> {
  readonly #waiting = new Map<string, T>();
  readonly #busy = new Set<string>();

  constructor(private readonly handle: (key: string, value: T) => Promise<void>) {}

  put(key: string, value: T): void {
    this.#waiting.set(key, value);
    if (!this.#busy.has(key)) void this.#run(key);
  }

  async #run(key: string): Promise<void> {
    this.#busy.add(key);
    for (let value = this.#take(key); value !== undefined; value = this.#take(key)) await this.handle(key, value);
    this.#busy.delete(key);
  }

  #take(key: string): T | undefined {
    const value = this.#waiting.get(key);
    this.#waiting.delete(key);
    return value;
  }
}
