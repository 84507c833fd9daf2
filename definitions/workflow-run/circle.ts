import type { View } from '../core/plan.ts';
import type { Flow } from '../flows/schema.ts';
import type { Facts } from './facts.ts';

/** What every step of one run is judged by. */
export interface Circle {
  readonly view: View;
  readonly facts: Facts;
  readonly flow: Pick<Flow, 'onFailure'>;
  /** After a failure nothing new starts. */
  readonly failFast: boolean;
  /** After a failure what runs is cancelled. */
  readonly abortRunning: boolean;
  /** The steps have come out: what was cancelled then stays so, and counts as it did while it ran. */
  readonly isEnding: boolean;
  readonly firstRetryMs: number;
  /** Iterations of all loops so far. */
  readonly expanded: { count: number };
}
