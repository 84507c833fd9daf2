import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import { describeAlive, type Incarnation, phaseOf } from './incarnation.ts';
import { isFinished } from './run-phase.ts';

/** The activity `cancelRun`: asks a run to end in its own way. One that is finished or gone is fine. */
export function createCancelRun(client: Client): (run: Incarnation) => Promise<void> {
  return async (run) => {
    const described = await describeAlive(client, run);
    if (!described || isFinished(phaseOf(described))) return;
    const requestId = `cancelled-by-schedule/${run.uid}`;
    try {
      await client.workflow.getHandle(run.id).executeUpdate('command', { args: [{ name: 'cancel', requestId, actor: 'schedule' }] });
    } catch (error) {
      // It ended meanwhile, or does not want to: whoever waits for its end will see.
      const isRefused = error instanceof WorkflowUpdateFailedError;
      if (!isRefused && !(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
    }
  };
}
