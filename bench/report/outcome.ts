import type { Result } from '../suite.ts';

/** What a suite found. */
export interface Outcome {
  readonly suite: string;
  readonly results: readonly Result[];
}
