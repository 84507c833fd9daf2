import type { Client, WorkflowExecutionDescription } from '@temporalio/client';

/** What the server knows of a workflow; undefined when there is none. */
export async function describeOrNothing(client: Client, workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
    throw error;
  }
}
