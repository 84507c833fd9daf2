import { ScheduleClient, ScheduleNotFoundError } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import type { Resource } from '../../definitions/core/resource.ts';
import type { BackfillRange, FlowSchedule } from './api.ts';
import { InvalidError, NotFoundError } from './errors.ts';
import { asColonyError, isAbsent } from './failures.ts';
import { askRepeatedly } from './read.ts';
import type { Session } from './session.ts';
import type { Target } from './target.ts';
import { triggerSchedule } from './trigger-schedule.ts';

/** More at once is more likely a slip than a wish. */
const MAX_BACKFILL = 1_000;

/** The schedule of a Workflow, which is called like the Workflow's own workflow. */
export function scheduleOf(
  session: Session,
  lookUp: () => Promise<Target>,
  find: (target: Target) => Promise<Resource | undefined>,
): FlowSchedule {
  const { temporalNamespace: namespace, service, actor, timeoutMs } = session;
  const schedules = new ScheduleClient({ connection: session.workflows.connection, namespace, identity: actor });
  const once = <T>(act: () => Promise<T>): Promise<T> => session.within(Date.now() + timeoutMs, act);
  const repeated = <T>(act: () => Promise<T>): Promise<T> => askRepeatedly(session, timeoutMs, act);
  const call = async <T>(act: (scheduleId: string) => Promise<T>, within = once): Promise<T> => {
    const target = await lookUp();
    try {
      return await within(() => act(target.workflowId));
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError) && !isAbsent(error)) throw asColonyError(error, target.subject);
      throw noSchedule(target, await find(target));
    }
  };
  return {
    trigger: () => call((id) => triggerSchedule(session, id)),
    backfill: async ({ from, to, parallel = false }: BackfillRange) => {
      if (!(from < to)) throw new InvalidError([{ path: 'from', message: 'must be a time before the end' }]);
      const range = { startTime: msToTs(from.getTime()), endTime: msToTs(to.getTime()) };
      const { startTime } = await call((scheduleId) => service.listScheduleMatchingTimes({ namespace, scheduleId, ...range }), repeated);
      if (startTime.length > MAX_BACKFILL) {
        throw new InvalidError([{ path: 'to', message: `would be the end of ${startTime.length} runs; at most ${MAX_BACKFILL} at once` }]);
      }
      const overlap = parallel ? 'ALLOW_ALL' : 'BUFFER_ALL';
      if (startTime.length > 0) await call((id) => schedules.getHandle(id).backfill({ start: from, end: to, overlap }));
      return startTime.map((time) => new Date(tsToMs(time)).toISOString());
    },
  };
}

function noSchedule({ subject, identity: { name } }: Target, workflow: Resource | undefined): NotFoundError {
  if (!workflow) return new NotFoundError(`${subject} does not exist`);
  if (workflow.spec.schedule !== undefined) {
    return new NotFoundError(
      `the schedule of ${subject} is not in the Temporal server`,
      `It is put back by: colony reconcile workflow/${name}; why it is not there may stand in: colony describe workflow/${name}`,
    );
  }
  return new NotFoundError(`${subject} has no schedule`, `Start a run by hand: colony run workflow/${name}; or give it a spec.schedule.`);
}
