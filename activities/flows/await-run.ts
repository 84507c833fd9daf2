import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { describeAlive, type Incarnation, phaseOf } from '../resources/incarnation.ts';
import { isFinished } from './run-phase.ts';

export interface RunEnd {
  /** `Gone`: nobody knows any more how it ended. */
  readonly phase: string;
}

const SOONEST_MS = 500;
const LATEST_MS = 15_000;

/**
 * The activity `awaitRun`: lands when a run is finished, or gone.
 *
 * Waits between attempts, which writes no history and occupies nobody: at most a tenth of the time it has waited already.
 */
export function createAwaitRun(client: Client): (run: Incarnation) => Promise<RunEnd> {
  return async (run) => {
    const described = await describeAlive(client, run);
    if (!described) return { phase: 'Gone' };
    const phase = phaseOf(described);
    if (isFinished(phase)) return { phase: phase as string };
    const waitedMs = Date.now() - Context.current().info.scheduledTimestampMs;
    throw ApplicationFailure.create({
      type: 'NotReady',
      message: `waits until ${run.id} is finished`,
      category: 'BENIGN',
      nextRetryDelay: Math.min(LATEST_MS, Math.max(SOONEST_MS, waitedMs / 10)),
    });
  };
}
