import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import type { Incarnation } from '../resources/incarnation.ts';

/** Tells a run what to do on behalf of its schedule, once. One that is gone, or does not want to, is fine. */
export async function commandRun(client: Client, { id, uid }: Incarnation, name: 'cancel' | 'terminate'): Promise<void> {
  try {
    await client.workflow
      .getHandle(id)
      .executeUpdate('command', { args: [{ name, requestId: `${name}-by-schedule/${uid}`, actor: 'schedule' }] });
  } catch (error) {
    // It ended meanwhile: whoever waits for its end will see.
    const isRefused = error instanceof WorkflowUpdateFailedError;
    if (!isRefused && !(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
  }
}
