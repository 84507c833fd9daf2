import type { Client } from '@temporalio/client';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';
import type { Metadata } from '../../../definitions/core/resource.ts';

export interface Resident extends InstanceOwner {
  readonly runtime: string | undefined;
}

/**
 * All living resources that say they have instances on a node, by uid; as the index knows them, which may be a moment old.
 *
 * Those too large for the index do not say by which runtime, and are only found by what they have.
 */
export async function residents(client: Client, node: string): Promise<ReadonlyMap<string, Resident>> {
  const found = new Map<string, Resident>();
  const query = `ColonyNodes = '${node}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, memo } of client.workflow.list({ query })) {
    const meta = memo?.meta as Metadata | undefined;
    const runtime = (memo?.status as { readonly runtime?: string } | null | undefined)?.runtime;
    if (meta) found.set(meta.uid, { uid: meta.uid, resource: workflowId, name: meta.name, runtime });
  }
  return found;
}
