import { type Client, isGrpcDeadlineError, type ScheduleDescription } from '@temporalio/client';

const ONE_TRY_MS = 3_000;
const ALL_TRIES_MS = 60_000;

/**
 * A schedule as the server knows it now.
 *
 * The server asks its own workflow behind the schedule, and on a busy machine such a question is lost now and then: it is asked again.
 */
export async function describeSchedule(client: Client, scheduleId: string): Promise<ScheduleDescription> {
  const schedule = client.schedule.getHandle(scheduleId);
  const until = Date.now() + ALL_TRIES_MS;
  for (;;) {
    try {
      return await client.withDeadline(Date.now() + ONE_TRY_MS, () => schedule.describe());
    } catch (error) {
      if (!isGrpcDeadlineError(error) || Date.now() > until) throw error;
    }
  }
}
