import type { Client } from '@temporalio/client';
import type { ChildRef } from '../../definitions/core/family.ts';
import type { Propagation } from '../../definitions/core/messages.ts';
import type { Metadata } from '../../definitions/core/resource.ts';
import { describeAlive, type Incarnation } from '../resources/incarnation.ts';
import { refusalOf } from '../resources/send-apply.ts';

/** Asks a resource to go; one that is gone already is fine. */
export async function sendDelete(client: Client, { id, uid }: Incarnation, propagation: Propagation = 'Background'): Promise<void> {
  try {
    await client.workflow.getHandle(id).executeUpdate('delete', { args: [{ uid, propagation }] });
  } catch (error) {
    const isGone = error instanceof Error && error.name === 'WorkflowNotFoundError';
    const type = refusalOf(error)?.type;
    // Conflict: another resource of that name, which is not ours to delete.
    if (!isGone && type !== 'Conflict' && type !== 'NotFound') throw error;
  }
}

/** Takes the controller off a resource: it stays and belongs to nobody. */
export async function sendRelease(client: Client, child: ChildRef): Promise<void> {
  const meta = (await describeAlive(client, child))?.memo?.meta as Metadata | undefined;
  if (!meta) return;
  const ownerReferences = meta.ownerReferences.filter(({ controller }) => !controller);
  try {
    const request = { metadata: { uid: child.uid, ownerReferences }, only: 'update' };
    await client.workflow.getHandle(child.id).executeUpdate('apply', { args: [request] });
  } catch (error) {
    const type = refusalOf(error)?.type;
    if (type !== 'Unchanged' && type !== 'Conflict' && type !== 'Deleting' && type !== 'NotFound') throw error;
  }
}
