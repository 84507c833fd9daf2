import type { View } from '../core/plan.ts';

/** What people said to a run as a whole: the lane of pause, cancel and terminate. */
export const RUN = 'control/run';
/** The lane of what was begun again. */
export const RETRY = 'control/retry';
/** The lane of what people said to one step. */
export const stepLane = (path: string): string => `control/steps/${path}`;

export interface RunWord {
  readonly paused?: boolean;
  /** How it shall end before its time. */
  readonly stop?: { readonly how: 'cancel' | 'terminate'; readonly by: string; readonly message?: string };
}

/** What somebody said to a step that waits, or that is not wanted. */
export interface StepWord {
  readonly verdict: 'approve' | 'reject' | 'skip';
  readonly by: string;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** What begins again: attempts up to these numbers do not count any more. */
export interface Restarts {
  readonly retries: number;
  /** When that was last asked for, ms. */
  readonly at: number;
  readonly attempts: Readonly<Record<string, number>>;
  /** The attempts that made the resources which are waited for after that; the first one if left out. */
  readonly makers?: Readonly<Record<string, number>>;
  /** What is done anew, not once more, and how often that was so before: steps that were undone, and what is done at the end. */
  readonly rounds?: Readonly<Record<string, number>>;
  /**
   * Of what failed or was cut off without an answer: what attempts after these numbers have run may still be it. Of all else that
   * begins again the answers were heard, or do not count any more.
   */
  readonly unheard?: Readonly<Record<string, number>>;
}

type Seen = Pick<View, 'observed'>;

export const runWordOf = ({ observed }: Seen): RunWord => (observed[RUN]?.value ?? {}) as RunWord;

export const stepWordOf = ({ observed }: Seen, path: string): StepWord | undefined =>
  (observed[stepLane(path)]?.value ?? undefined) as StepWord | undefined;

export const restartsOf = ({ observed }: Seen): Restarts => (observed[RETRY]?.value ?? { retries: 0, at: 0, attempts: {} }) as Restarts;
