import { ApplicationFailure } from '@temporalio/activity';
import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import type { ApplyAnswer, ApplyRequest, RefusalDetails } from '../../definitions/core/messages.ts';

/** Why a resource does not want what it was told: the type of its failure, and one sentence. */
export interface Refusal {
  readonly refused: string;
  readonly message: string;
}

export type Applied = Pick<ApplyAnswer, 'uid' | 'generation'>;

/** The server's own words for an update that came between two runs: nobody has decided anything. */
const UNDECIDED: readonly string[] = ['UnprocessedUpdate', 'AcceptedUpdateCompletedWorkflow'];

/** Starts or changes a resource; an unchanged one is an answer too, and so is a refusal. Fails while nobody has decided. */
export async function sendApply(client: Client, kind: string, id: string, request: ApplyRequest): Promise<Applied | Refusal> {
  const startWorkflowOperation = new WithStartWorkflowOperation(kind, {
    workflowId: id,
    taskQueue: 'colony',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: '5s',
    staticSummary: `${kind} ${request.metadata?.name}`.slice(0, 200),
    args: [],
  });
  try {
    return (await client.workflow.executeUpdateWithStart('apply', { args: [request], startWorkflowOperation })) as ApplyAnswer;
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal?.type) throw error;
    const [details] = (refusal.details ?? []) as RefusalDetails[];
    if (refusal.type === 'Unchanged' && details?.uid) return { uid: details.uid, generation: details.generation ?? 0 };
    return { refused: refusal.type, message: refusal.message };
  }
}

/** What a resource answered when it did not want what an update told it; undefined when it has not answered at all. */
export function refusalOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof ApplicationFailure && !UNDECIDED.includes(cause.type ?? '') ? cause : undefined;
}
