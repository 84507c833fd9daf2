import type { Stage } from './stage/stage.ts';

/** One number and the bound that it must keep. */
export interface Result {
  readonly name: string;
  /** The ratio or count that `max` bounds; smaller is better. */
  readonly value: number;
  readonly unit: string;
  /** Absent: told for information. */
  readonly max?: number;
  /** What was measured here, before any ratio was taken. */
  readonly ours: number;
  /** The same of what we compare with; absent for counts. */
  readonly peer?: number;
  /** One sentence for the page: what exactly was measured, and how. */
  readonly note?: string;
}

/** What a suite gets to work with. */
export interface Context {
  /** Small numbers, for trying the harness: the results mean nothing. */
  readonly quick: boolean;
  /** A fresh Temporal server, this suite's own, and a way to start processes on it; all ended after the suite. */
  readonly stage: Stage;
  /** Progress, for people. */
  say(sentence: string): void;
}

/** A file in bench/suites/ exports one of these as `suite`; nothing else has to be registered. */
export interface Suite {
  readonly name: string;
  run(context: Context): Promise<readonly Result[]>;
}
