import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ChildRef } from '../../definitions/core/children.ts';
import { ownerKeyOf } from '../../definitions/core/owner-key.ts';
import type { Metadata } from '../../definitions/core/resource.ts';
import { sendDelete } from './send.ts';

export interface RemoveChildrenRequest {
  readonly kind: string;
  readonly metadata: Metadata;
  readonly inventory: readonly ChildRef[];
}

type Child = Pick<ChildRef, 'id' | 'uid'>;

/** Deletes children, youngest first, one after the other; NotReady until the last one is gone. */
export function createRemoveChildren(client: Client): (request: RemoveChildrenRequest) => Promise<{ children: readonly ChildRef[] }> {
  return async (request) => {
    const known = new Set(request.inventory.map(({ id }) => id));
    const unlisted = (await owned(client, request)).filter(({ id }) => !known.has(id));
    for (const child of [...request.inventory, ...unlisted].reverse()) {
      if (await isGone(client, child)) continue;
      await sendDelete(client, child.id, child.uid);
      if (await isGone(client, child)) continue;
      throw ApplicationFailure.create({
        type: 'NotReady',
        message: `waits until ${child.id} is gone`,
        category: 'BENIGN',
        nextRetryDelay: '500ms',
      });
    }
    return { children: [] };
  };
}

/** Children by what they say of themselves: also those that a step made and then failed to report. */
async function owned(client: Client, { kind, metadata }: RemoveChildrenRequest): Promise<Child[]> {
  const children: Child[] = [];
  const query = `ColonyOwner = '${ownerKeyOf({ kind, name: metadata.name, uid: metadata.uid })}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, memo } of client.workflow.list({ query })) {
    const meta = memo?.meta as Metadata | undefined;
    if (meta) children.push({ id: workflowId, uid: meta.uid });
  }
  return children;
}

/** Gone, or another resource has taken its name. */
async function isGone(client: Client, { id, uid }: Child): Promise<boolean> {
  try {
    const { status, memo } = await client.workflow.getHandle(id).describe();
    const meta = memo?.meta as Metadata | undefined;
    return status.name !== 'RUNNING' || (meta !== undefined && meta.uid !== uid);
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return true;
    throw error;
  }
}
