import type { Client } from '@temporalio/client';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';
import type { Metadata } from '../../../definitions/core/resource.ts';

/** All living resources that say they have instances on a node, by uid; as the index knows them, which may be a moment old. */
export async function residents(client: Client, node: string): Promise<ReadonlyMap<string, InstanceOwner>> {
  const found = new Map<string, InstanceOwner>();
  const query = `ColonyNodes = '${node}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, memo } of client.workflow.list({ query })) {
    const meta = memo?.meta as Metadata | undefined;
    if (meta) found.set(meta.uid, { uid: meta.uid, resource: workflowId, name: meta.name });
  }
  return found;
}
