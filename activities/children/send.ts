import { ApplicationFailure } from '@temporalio/activity';
import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import type { ChildProblem, ChildRef } from '../../definitions/core/family.ts';
import type { ApplyAnswer, ApplyRequest, Propagation } from '../../definitions/core/messages.ts';
import type { Metadata } from '../../definitions/core/resource.ts';
import { describeOrNothing } from './describe.ts';

export type Applied = Pick<ApplyAnswer, 'uid' | 'generation'> | Pick<ChildProblem, 'reason' | 'message'>;

/** Starts or changes a resource; an unchanged one is an answer too, and so is a refusal. */
export async function sendApply(client: Client, workflowType: string, workflowId: string, request: ApplyRequest): Promise<Applied> {
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
    const [details] = (refusal.details ?? []) as { readonly uid?: string; readonly generation?: number }[];
    if (refusal.type === 'Unchanged' && details?.uid) return { uid: details.uid, generation: details.generation ?? 0 };
    const reason = refusal.type === 'NotOwned' ? 'NotOwned' : refusal.type === 'Deleting' ? 'GoingAway' : 'Refused';
    return { reason, message: refusal.message };
  }
}

/** Asks a resource to go; one that is gone already is fine. */
export async function sendDelete(client: Client, workflowId: string, uid: string, propagation: Propagation = 'Background'): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).executeUpdate('delete', { args: [{ uid, propagation }] });
  } catch (error) {
    const isGone = error instanceof Error && error.name === 'WorkflowNotFoundError';
    const type = refusalOf(error)?.type;
    // Conflict: another resource of that name, which is not ours to delete.
    if (!isGone && type !== 'Conflict' && type !== 'NotFound') throw error;
  }
}

/** Takes the controller off a resource: it stays and belongs to nobody. */
export async function sendRelease(client: Client, { id, uid }: ChildRef): Promise<void> {
  const described = await describeOrNothing(client, id);
  const meta = described?.memo?.meta as Metadata | undefined;
  if (described?.status.name !== 'RUNNING' || meta?.uid !== uid) return;
  const ownerReferences = meta.ownerReferences.filter(({ controller }) => !controller);
  try {
    await client.workflow.getHandle(id).executeUpdate('apply', { args: [{ metadata: { uid, ownerReferences }, only: 'update' }] });
  } catch (error) {
    const type = refusalOf(error)?.type;
    if (type !== 'Unchanged' && type !== 'Conflict' && type !== 'Deleting' && type !== 'NotFound') throw error;
  }
}

function refusalOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
