export { readDepends, type StepOutcome, stepOutcomes, testDepends } from './depends.ts';
export { evaluate, readExpression, test } from './evaluate.ts';
export { fillTemplate } from './fill-template.ts';
export { readTemplate } from './read-template.ts';
export type { Filled, ReadOptions, Reference, Scope } from './types.ts';
