import type { Client } from '@temporalio/client';
import { findSchedule, type Mark, markOf, removeScheduleOf } from '../../../activities/flows/schedule.ts';
import { annotations } from '../../../definitions/core/annotations.ts';
import type { Metadata, Status } from '../../../definitions/core/resource.ts';
import type { Owner } from '../orphans.ts';
import type { Belonging } from './households.ts';

export interface Schedules {
  /** Those that we made for somebody whom the index does not know to live. */
  readonly left: readonly Belonging[];
  /** Workflows that say a schedule is in force which the index does not know. */
  readonly missed: readonly Owner[];
}

/** What the server keeps of schedules, beside the Workflows that count on them. */
export async function schedulesIn(client: Client): Promise<Schedules> {
  const [ids, marks] = [new Set<string>(), [] as Mark[]];
  for await (const { scheduleId, memo } of client.schedule.list()) {
    ids.add(scheduleId);
    const mark = markOf(memo ? { memo } : {});
    if (mark?.resource === scheduleId) marks.push(mark);
  }
  const [living, missed] = [new Set<string>(), [] as Owner[]];
  const query = `WorkflowType = 'Workflow' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, memo } of client.workflow.list({ query })) {
    const meta = memo?.meta as Metadata | undefined;
    if (!meta) continue;
    living.add(meta.uid);
    if (!ids.has(workflowId) && countsOnOne(meta, memo?.status as Status | null)) missed.push({ uid: meta.uid, resource: workflowId });
  }
  const left = marks
    .filter(({ uid }) => !living.has(uid))
    .map((owner) => {
      const { resource: id, uid } = owner;
      return { id, isDeleting: false, owners: [owner], end: () => removeScheduleOf(client, { id, uid }) };
    });
  return { left, missed };
}

/** Of one that is too large for the index nobody knows. One that has trouble looks again by itself. */
function countsOnOne({ annotations: given, deletionTimestamp }: Metadata, status: Status | null | undefined): boolean {
  if (deletionTimestamp !== undefined || given[annotations.paused] !== undefined) return false;
  const [ready, scheduled] = ['Ready', 'Scheduled'].map((wanted) => status?.conditions?.find(({ type }) => type === wanted));
  return ready?.status === 'True' && (scheduled?.status === 'True' || scheduled?.reason === 'Suspended');
}

/** Lets a Workflow look, if its schedule is really gone; says whether it is. */
export async function tellScheduleGone(client: Client, { resource }: Owner): Promise<boolean> {
  if (await findSchedule(client, resource)) return false;
  await client.workflow.getHandle(resource).signal('reconcile');
  return true;
}
