/** How much one resource is sent at once from here: more would only wait there, and be turned away whenever its history rolls over. */
const MAX_BYTES = 256 * 1024;

interface Turn {
  readonly bytes: number;
  readonly start: () => void;
}

/**
 * Lets calls to one resource wait for each other when they are large: Temporal refuses what is too much at once, and with it all
 * that it had taken already. Small calls never wait for each other. Guarantees: in the order they came; one call always goes.
 */
export class Turns {
  readonly #lines = new Map<string, { bytes: number; waiting: Turn[] }>();

  async take<T>(resource: string, bytes: number, call: () => Promise<T>): Promise<T> {
    await this.#begin(resource, bytes);
    try {
      return await call();
    } finally {
      this.#end(resource, bytes);
    }
  }

  #begin(resource: string, bytes: number): Promise<void> | undefined {
    const line = this.#lines.get(resource) ?? { bytes: 0, waiting: [] };
    this.#lines.set(resource, line);
    const isFree = line.waiting.length === 0 && (line.bytes === 0 || line.bytes + bytes <= MAX_BYTES);
    if (!isFree) return new Promise((start) => line.waiting.push({ bytes, start }));
    line.bytes += bytes;
    return undefined;
  }

  #end(resource: string, bytes: number): void {
    const line = this.#lines.get(resource);
    if (!line) return;
    line.bytes -= bytes;
    for (let next = line.waiting[0]; next && (line.bytes === 0 || line.bytes + next.bytes <= MAX_BYTES); next = line.waiting[0]) {
      line.waiting.shift();
      line.bytes += next.bytes;
      next.start();
    }
    if (line.bytes === 0) this.#lines.delete(resource);
  }
}
