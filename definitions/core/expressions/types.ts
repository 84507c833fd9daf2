import type { JsonObject } from '../resource.ts';

/** What a text refers to: `['components', 'db', 'status', 'endpoint']`. An index (`params.list[0]`) ends the path before it. */
export type Reference = readonly string[];

export interface ReadOptions {
  /** The names that may stand at the beginning: params, components, … */
  readonly roots: readonly string[];
}

/** What became of a text whose expressions were computed. */
export type Filled<T> =
  | { readonly value: T }
  /** These are not known yet: a selected field is absent or null. */
  | { readonly missing: readonly Reference[] }
  /** It cannot be computed, and waiting does not help: what and where, in one sentence. */
  | { readonly problem: string };

/** What expressions see. */
export interface Scope {
  readonly values: JsonObject;
  /**
   * Stands in for a reference before anything is computed (secrets by reference); undefined: look in the values.
   * Such a reference may stand alone or inside a text; to compute with it is a problem.
   */
  readonly opaque?: (reference: Reference) => string | undefined;
}

/** Sizes that keep a person's expression from costing more than milliseconds. */
export const bounds = {
  /** Characters of one expression. */
  characters: 1_024,
  /** Expressions in one template. */
  expressions: 1_000,
  /** Elementary steps that computing one template (or one expression) may take, as estimated beforehand. */
  work: 1_000_000,
  /** Characters that one template may have put into it. */
  inserted: 512 * 1024,
  /** Depth of nesting of a template and of the values it uses. */
  depth: 64,
  /** Texts that stay read; more than the largest run has, since each of its passes would read all of them again. */
  remembered: 4_000,
} as const;
