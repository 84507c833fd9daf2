import type { Client } from '@temporalio/client';
import { type Mark, markOf, removeScheduleOf } from '../../../activities/flows/schedule.ts';
import type { Metadata } from '../../../definitions/core/resource.ts';
import type { Belonging } from './households.ts';

/** The schedules in the server that we made for somebody whom the index does not know to live. */
export async function leftSchedulesIn(client: Client): Promise<readonly Belonging[]> {
  const marks: Mark[] = [];
  for await (const { scheduleId, memo } of client.schedule.list()) {
    const mark = markOf(memo ? { memo } : {});
    if (mark?.resource === scheduleId) marks.push(mark);
  }
  if (marks.length === 0) return [];
  const living = await scheduledIn(client);
  return marks
    .filter(({ uid }) => !living.has(uid))
    .map((owner) => {
      const { resource: id, uid } = owner;
      return { id, isDeleting: false, owners: [owner], end: () => removeScheduleOf(client, { id, uid }) };
    });
}

/** Uids of all living Workflows, as the index knows them. */
async function scheduledIn(client: Client): Promise<ReadonlySet<string>> {
  const uids = new Set<string>();
  const query = `WorkflowType = 'Workflow' AND ExecutionStatus = 'Running'`;
  for await (const { memo } of client.workflow.list({ query })) {
    const meta = memo?.meta as Metadata | undefined;
    if (meta) uids.add(meta.uid);
  }
  return uids;
}
