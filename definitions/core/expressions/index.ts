/**
 * The language of wiring and conditions: CEL over JSON, in `${…}` inside of texts or alone as a condition.
 *
 * Guarantees: nothing that a person writes throws or hangs. What is too long, too deep or too complex is refused when it is
 * read; what would run too long over the values at hand (runs over lists inside of runs over lists, long texts again and
 * again) is refused before it begins, by an upper bound of its steps. Patterns take linear time.
 *
 * Caveats: `/` between whole numbers drops the rest, as CEL has it; `has(a.b.c)` waits while `a.b` is absent; a field that
 * is null counts as absent, so `x == null` waits and `has(x)` is the question to ask.
 */

export { readDepends, type StepOutcome, stepOutcomes, testDepends } from './depends.ts';
export { evaluate, readExpression, test } from './evaluate.ts';
export { fillTemplate } from './fill-template.ts';
export { readTemplate } from './read-template.ts';
export type { Filled, ReadOptions, Reference, Scope } from './types.ts';
export { written } from './written.ts';
