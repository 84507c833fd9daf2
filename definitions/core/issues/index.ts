/** From zod's errors to sentences: what is wrong, where, and what is allowed. */
export { type Checked, checkWith } from './check-with.ts';
export { issuesOf } from './issues-of.ts';
export { sentenceOf, unknownField } from './sentence.ts';
