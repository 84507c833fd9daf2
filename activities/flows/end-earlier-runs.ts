import type { Client } from '@temporalio/client';
import { ownerKeyOf } from '../../definitions/core/replayed/owner-key.ts';
import type { OwnerReference, Resource } from '../../definitions/core/resource.ts';
import { SCHEDULED_AT } from '../../definitions/workflow-run/run.ts';
import { ask } from '../resources/ask.ts';
import { commandRun } from './command-run.ts';
import { isFinished } from './run-phase.ts';

/** Terminates the runs that a schedule has made and that still go on; those that somebody made by hand stay. */
export async function endEarlierRuns(client: Client, owner: Pick<OwnerReference, 'kind' | 'name' | 'uid'>): Promise<void> {
  const query = `ColonyOwner = '${ownerKeyOf(owner)}' AND WorkflowType = 'WorkflowRun' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId: id, searchAttributes } of client.workflow.list({ query })) {
    const [phase] = (searchAttributes.ColonyPhase ?? []) as string[];
    if (isFinished(phase)) continue;
    // Its memo shows it only after its first step has ended.
    const run = await ask<Resource | null>(client, id, 'resource');
    if (run && SCHEDULED_AT in run.metadata.annotations) await commandRun(client, { id, uid: run.metadata.uid }, 'terminate');
  }
}
