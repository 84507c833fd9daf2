/**
 * Commands of probes that nobody waits for any more, but that may still run: an engine cannot end them.
 *
 * Whoever asks again looks here first, so that they do not pile up in the container.
 */
export class Overdue {
  /** By container, then by the engine's name for it. */
  readonly #commands = new Map<string, Map<string, string>>();

  add(id: string, command: readonly string[], exec: string): void {
    const known = this.#commands.get(id) ?? new Map();
    this.#commands.set(id, known.set(exec, JSON.stringify(command)));
  }

  of(id: string, command: readonly string[]): readonly string[] {
    const key = JSON.stringify(command);
    return [...(this.#commands.get(id) ?? [])].flatMap(([exec, known]) => (known === key ? [exec] : []));
  }

  /** It has ended. */
  delete(id: string, exec: string): void {
    const known = this.#commands.get(id);
    known?.delete(exec);
    if (known?.size === 0) this.#commands.delete(id);
  }

  /** The container is gone, and all that ran in it. */
  forget(id: string): void {
    this.#commands.delete(id);
  }

  /** Of how many containers something is kept. */
  get size(): number {
    return this.#commands.size;
  }
}
