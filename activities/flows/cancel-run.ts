import type { Client } from '@temporalio/client';
import { describeAlive, type Incarnation, phaseOf } from '../resources/incarnation.ts';
import { commandRun } from './command-run.ts';
import { isFinished } from './run-phase.ts';

/** The activity `cancelRun`: asks a run to end in its own way. One that is finished or gone is fine. */
export function createCancelRun(client: Client): (run: Incarnation) => Promise<void> {
  return async (run) => {
    const described = await describeAlive(client, run);
    if (described && !isFinished(phaseOf(described))) await commandRun(client, run, 'cancel');
  };
}
