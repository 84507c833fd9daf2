import { type Client, type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client';
import { asQuery } from '../resources/ask.ts';
import type { Incarnation } from '../resources/incarnation.ts';

/** Says in a schedule's memo whose it is. */
export interface Mark {
  /** Id of the owner's workflow, which is the schedule's own, too. */
  readonly resource: string;
  readonly uid: string;
}

export const MARK = 'colony';

/** Whose a schedule is; undefined when we have not made it. */
export function markOf({ memo }: Pick<ScheduleDescription, 'memo'>): Mark | undefined {
  return memo?.[MARK] as Mark | undefined;
}

/** A schedule as it is now; undefined when there is none. The server asks its own workflow behind it, and has no limit for that. */
export async function findSchedule(client: Client, id: string): Promise<ScheduleDescription | undefined> {
  try {
    return await asQuery(client, () => client.schedule.getHandle(id).describe());
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

/** Deletes a schedule; one that is gone already is fine. */
export async function removeSchedule(client: Client, id: string): Promise<void> {
  try {
    await client.schedule.getHandle(id).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

/**
 * Deletes the schedule that a resource has left behind. One of somebody else stays, also of a later resource of that name.
 *
 * Caveat: one that is replaced between the look and the deletion goes, too; its owner puts it back when it looks.
 */
export async function removeScheduleOf(client: Client, { id, uid }: Incarnation): Promise<void> {
  const found = await findSchedule(client, id);
  if (found && markOf(found)?.uid === uid) await removeSchedule(client, id);
}
