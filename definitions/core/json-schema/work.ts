import { limits } from '../limits.ts';

/**
 * What checking one value may cost. Schemas and values come from strangers, and a small schema times a small value can be
 * hours of work; every part that can multiply draws on this account, and the check ends when it is overdrawn.
 */
export class Work {
  #branches = 0;
  #patternSteps = 0;
  #bytes = 0;

  /** A new value is about to be checked. */
  begin(): void {
    this.#branches = 0;
    this.#patternSteps = 0;
    this.#bytes = 0;
  }

  /** True when another branch may be tried. */
  branch(): boolean {
    this.#branches += 1;
    return !this.isOverdrawn;
  }

  /** True when a pattern of this size may be run over a text of this length. */
  pattern(programSize: number, length: number): boolean {
    this.#patternSteps += programSize * (length + 1);
    return !this.isOverdrawn;
  }

  /** True when defaults of this size may be added. */
  fill(bytes: number): boolean {
    this.#bytes += bytes;
    return !this.isOverfilled;
  }

  get isOverdrawn(): boolean {
    return this.#branches > limits.schemaBranches || this.#patternSteps > limits.patternSteps;
  }

  get isOverfilled(): boolean {
    return this.#bytes > limits.manifestBytes;
  }
}
