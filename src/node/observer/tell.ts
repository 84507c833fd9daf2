import type { Client } from '@temporalio/client';
import type { InstanceOwner, Sighting } from '../../../definitions/core/instance.ts';
import { laneOf } from '../../../definitions/replicas/lanes.ts';
import { isAbsent, refusalOf } from '../../client/failures.ts';

/** `told`: it is known now. `later`: ask again. `gone`: nobody of that uid is there to be told. */
export type Told = 'told' | 'later' | 'gone';

/** Tells a resource what is seen of it on a node. What is known already, or is just being fetched, costs no history. */
export async function tell(client: Client, node: string, { resource, uid }: InstanceOwner, value: Sighting): Promise<Told> {
  try {
    await client.workflow.getHandle(resource).executeUpdate('observed', { args: [{ about: laneOf(node), value, uid }] });
    return 'told';
  } catch (error) {
    if (isAbsent(error)) return 'gone';
    switch (refusalOf(error)?.type) {
      case 'Unchanged':
        return 'told';
      case 'NotFound':
        return 'gone';
      default:
        return 'later';
    }
  }
}
