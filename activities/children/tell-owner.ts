import type { Client } from '@temporalio/client';
import type { Tell } from '../../definitions/core/decision.ts';

/** Brings news to an owner; one that is gone need not be told. Runs as a local activity, so that it costs one event and no task. */
export function createTellOwner(client: Client): (tell: Pick<Tell, 'to' | 'news'>) => Promise<void> {
  return async ({ to, news }) => {
    try {
      await client.workflow.getHandle(to).signal('child', news);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
    }
  };
}
