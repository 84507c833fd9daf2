/** Lets work on one thing come one after the other, and says when a thing is at rest. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  isTaken(key: string): boolean {
    return this.last.has(key);
  }

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(
      () => {},
      () => {},
    );
    this.last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === settled) this.last.delete(key);
    }
  }
}
