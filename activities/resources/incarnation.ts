import type { Client, WorkflowExecutionDescription } from '@temporalio/client';

/** A very resource: another one of the same name has another uid. */
export interface Incarnation {
  /** Id of its workflow. */
  readonly id: string;
  readonly uid: string;
}

/** That very resource as Temporal itself knows it now; undefined when it is gone, whoever has its name. */
export async function describeAlive(client: Client, { id, uid }: Incarnation): Promise<WorkflowExecutionDescription | undefined> {
  const described = await describe(client, id);
  if (described?.status.name !== 'RUNNING') return undefined;
  return firstRunOf(described) === uid ? described : undefined;
}

/** Whoever has that name, alive or not; undefined when nobody is known by it. */
export async function describe(client: Client, id: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(id).describe();
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
    throw error;
  }
}

export const firstRunOf = ({ raw, runId }: WorkflowExecutionDescription): string => raw.workflowExecutionInfo?.firstRunId || runId;

/** What the index calls its phase: short, and there also for objects that are too large for the memo. */
export const phaseOf = ({ searchAttributes }: WorkflowExecutionDescription): string | undefined =>
  (searchAttributes.ColonyPhase as readonly string[] | undefined)?.[0];
