import { limits } from '../limits.ts';
import { branchesOf, type Schema } from './schema.ts';

/**
 * What checking one value may cost. Schemas and values come from strangers, and a small schema times a small value can be
 * hours of work; so the work is measured before it is done, and what is too much is refused.
 */
export class Work {
  #rules = 0;
  #patternSteps = 0;
  #bytes = 0;

  /** A new value is about to be checked. */
  open(): void {
    this.#rules = 0;
    this.#patternSteps = 0;
    this.#bytes = 0;
  }

  /** Counts the rules that a schema would try on a value, and stops counting when they are too many. */
  affords(schema: Schema, value: unknown): boolean {
    this.#rules = 0;
    this.#count(schema, value);
    return !this.isOverdrawn;
  }

  /** True when a pattern of this size may be run over a text of this length. */
  pattern(programSize: number, length: number): boolean {
    this.#patternSteps += programSize * (length + 1);
    return !this.isOverdrawn;
  }

  /** True when defaults of this size may be added to what was added for this one. */
  fill(bytes: number): boolean {
    this.#bytes += bytes;
    return !this.isOverfilled;
  }

  get isOverdrawn(): boolean {
    return this.#rules > limits.schemaRules || this.#patternSteps > limits.patternSteps;
  }

  get isOverfilled(): boolean {
    return this.#bytes > limits.manifestBytes;
  }

  #count(schema: Schema, value: unknown): void {
    const { properties, required, additional, items, itemKeys, not } = schema;
    this.#rules += 1;
    for (const branch of branchesOf(schema)) if (!this.isOverdrawn) this.#count(branch, value);
    if (not) this.#count(not, value);
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      this.#rules += (itemKeys?.length ?? 0) * value.length;
      if (items) for (const item of value) if (!this.isOverdrawn) this.#count(items, item);
      return;
    }
    this.#rules += (properties?.size ?? 0) + required.length;
    for (const [name, field] of Object.entries(value)) {
      const inner = properties?.get(name) ?? additional;
      if (inner && !this.isOverdrawn) this.#count(inner, field);
    }
  }
}
