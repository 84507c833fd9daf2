import { ApplicationFailure } from '@temporalio/activity';
import { type Client, WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import { parseApiVersion, workflowIdOf } from '../../definitions/core/identity.ts';
import type { ApplyAnswer, ApplyRequest } from '../../definitions/core/messages.ts';
import type { Manifest } from '../../definitions/core/resource.ts';
import type { Incarnation } from './incarnation.ts';

/** Why a resource does not want what it was told. */
export interface Refusal {
  readonly refused: string;
  readonly message: string;
}

/** Starts or changes a resource of colony's own kinds; an unchanged one is an answer too, and so is a refusal. */
export async function applyResource(
  client: Client,
  plural: string,
  manifest: Manifest,
  call: Pick<ApplyRequest, 'only' | 'requestId' | 'actor'> = {},
): Promise<Incarnation | Refusal> {
  const { apiVersion, kind, metadata } = manifest;
  const { group } = parseApiVersion(apiVersion) ?? { group: '' };
  const id = workflowIdOf({ plural, group, name: metadata.name, ...(metadata.namespace ? { namespace: metadata.namespace } : {}) });
  const startWorkflowOperation = new WithStartWorkflowOperation(kind, {
    workflowId: id,
    taskQueue: 'colony',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: '5s',
    staticSummary: `${kind} ${metadata.name}`.slice(0, 200),
    args: [],
  });
  const request: ApplyRequest = { ...manifest, ...call };
  try {
    const { uid } = (await client.workflow.executeUpdateWithStart('apply', { args: [request], startWorkflowOperation })) as ApplyAnswer;
    return { id, uid };
  } catch (error) {
    const refusal = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    if (!(refusal instanceof ApplicationFailure) || !refusal.type) throw error;
    const [details] = (refusal.details ?? []) as { readonly uid?: string }[];
    if (refusal.type === 'Unchanged' && details?.uid) return { id, uid: details.uid };
    // The server's own words for an update that came between two runs: to be tried again.
    if (UNDECIDED.includes(refusal.type)) throw error;
    return { refused: refusal.type, message: refusal.message };
  }
}

const UNDECIDED: readonly string[] = ['UnprocessedUpdate', 'AcceptedUpdateCompletedWorkflow'];
