import { ApplicationFailure } from '@temporalio/activity';
import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import type { ApplyAnswer, ApplyRequest } from '../../definitions/core/messages.ts';

/** Starts or changes a resource; an unchanged one is an answer too. A refusal keeps its type and sentence. */
export async function sendApply(
  client: Client,
  workflowType: string,
  workflowId: string,
  request: ApplyRequest,
): Promise<Pick<ApplyAnswer, 'uid'>> {
  const startWorkflowOperation = new WithStartWorkflowOperation(workflowType, {
    workflowId,
    taskQueue: 'colony',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: '5s',
    staticSummary: `${workflowType} ${request.metadata?.name}`,
    args: [],
  });
  try {
    return (await client.workflow.executeUpdateWithStart('apply', { args: [request], startWorkflowOperation })) as ApplyAnswer;
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    const [details] = (refusal.details ?? []) as { readonly uid?: string }[];
    if (refusal.type === 'Unchanged' && details?.uid) return { uid: details.uid };
    throw ApplicationFailure.create({
      type: childFailure(refusal.type ?? 'Error'),
      message: `${workflowType} ${request.metadata?.name}: ${refusal.message}`,
    });
  }
}

/** Asks a resource to go; one that is gone already is fine. */
export async function sendDelete(client: Client, workflowId: string, uid: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).executeUpdate('delete', { args: [{ uid }] });
  } catch (error) {
    const isGone = error instanceof Error && error.name === 'WorkflowNotFoundError';
    const type = refusalOf(error)?.type;
    // Conflict: another resource of that name, which is not ours to delete.
    if (!isGone && type !== 'Conflict' && type !== 'NotFound') throw error;
  }
}

/** A child that is going away just has to be waited for. */
const childFailure = (type: string): string => (type === 'Deleting' ? 'NotReady' : `Child${type}`);

function refusalOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
