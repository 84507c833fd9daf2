import { ApplicationFailure, Context } from '@temporalio/activity';
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleOptions,
  type ScheduleOverlapPolicy,
} from '@temporalio/client';
import { digestOf } from '../../definitions/core/digest.ts';
import type { JsonObject, Metadata } from '../../definitions/core/resource.ts';
import { asQuery } from '../resources/ask.ts';
import { cronExpressionsOf } from './cron-expressions.ts';
import { findSchedule, MARK, type Mark, markOf, removeSchedule } from './schedule.ts';

export interface SyncScheduleRequest {
  /** Null: there shall be none. */
  readonly schedule: ScheduleWish | null;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<Metadata, 'uid' | 'name' | 'namespace'>;
}

export interface ScheduleWish {
  /** Five fields. */
  readonly cron: string;
  readonly timezone?: string;
  readonly overlap?: ScheduleOverlapPolicy;
  /** How late a run that was missed may still start. */
  readonly catchupWindowMs?: number;
  readonly jitterMs?: number;
  readonly paused?: boolean;
  readonly note?: string;
}

export interface ScheduleSeen {
  readonly scheduleId: string;
  readonly paused: boolean;
  /** ISO; absent while there is no schedule, or none to come. */
  readonly nextRun?: string;
}

/** How often somebody else may make or take away the schedule under our hands before we give up for now. */
const MAX_ROUNDS = 5;

/**
 * The activity `syncSchedule`: brings the Temporal Schedule of a resource to what is wished, and says when it starts next.
 *
 * Guarantees: safe to repeat, also when an earlier try was done and its answer lost. One that an earlier resource of the same name
 * has left is replaced; one that somebody else made is never touched: it is in the way of a wish (ScheduleTaken), and of nothing else.
 */
export function createSyncSchedule(client: Client): (request: SyncScheduleRequest) => Promise<ScheduleSeen> {
  return async (request) => {
    const resource = Context.current().info.workflowExecution?.workflowId ?? '';
    const mark: Mark = { resource, uid: request.metadata.uid };
    const handle = client.schedule.getHandle(resource);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const found = await findSchedule(client, resource);
      const isOurs = found !== undefined && markOf(found)?.resource === resource;
      if (!request.schedule) {
        if (isOurs) await removeSchedule(client, resource);
        return { scheduleId: resource, paused: false };
      }
      if (found && !isOurs) throw taken(resource);
      const wish = optionsOf(request.schedule, request, mark);
      if (await bring(client, handle, found, wish, mark)) return await seen(client, handle);
    }
    throw new Error(`the schedule ${resource} is changed by somebody else all the time`);
  };
}

/** False: the world has changed meanwhile; look again. */
async function bring(
  client: Client,
  handle: ScheduleHandle,
  found: ScheduleDescription | undefined,
  wish: ScheduleOptions,
  { uid }: Mark,
): Promise<boolean> {
  try {
    if (!found) {
      await client.schedule.create(wish);
      return true;
    }
    if (markOf(found)?.uid !== uid) {
      await removeSchedule(client, handle.scheduleId);
      return false;
    }
    const { scheduleId: _scheduleId, memo: _memo, state = {}, ...rest } = wish;
    await asQuery(client, () => handle.update(() => ({ ...rest, state })));
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning || error instanceof ScheduleNotFoundError) return false;
    throw error;
  }
}

async function seen(client: Client, handle: ScheduleHandle): Promise<ScheduleSeen> {
  const { scheduleId, state, info } = await asQuery(client, () => handle.describe());
  const [next] = info.nextActionTimes;
  return { scheduleId, paused: state.paused, ...(next ? { nextRun: next.toISOString() } : {}) };
}

const taken = (id: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`The schedule ${id} was made by somebody else and is not touched.`, 'ScheduleTaken');

function optionsOf(wish: ScheduleWish, { apiVersion, kind, metadata }: SyncScheduleRequest, mark: Mark): ScheduleOptions {
  const { name, namespace } = metadata;
  const { resource: id, uid } = mark;
  const workflow: JsonObject = { id, uid, apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
  return {
    scheduleId: id,
    memo: { [MARK]: mark },
    spec: {
      cronExpressions: [...cronExpressionsOf(wish.cron)],
      ...(wish.timezone ? { timezone: wish.timezone } : {}),
      ...(wish.jitterMs ? { jitter: wish.jitterMs } : {}),
    },
    policies: {
      ...(wish.overlap ? { overlap: wish.overlap } : {}),
      ...(wish.catchupWindowMs ? { catchupWindow: wish.catchupWindowMs } : {}),
    },
    state: { paused: wish.paused ?? false, ...(wish.note ? { note: wish.note } : {}) },
    action: {
      type: 'startWorkflow',
      workflowType: 'scheduledRun',
      workflowId: startedId(name, namespace),
      taskQueue: 'colony',
      workflowTaskTimeout: '5s',
      staticSummary: `run of ${kind} ${name}`.slice(0, 200),
      args: [{ workflow, ...(wish.overlap ? { overlap: wish.overlap } : {}) }],
    },
  };
}

/** Temporal adds the time of 21 characters, and databases take 255. */
const MAX_STARTED_ID = 230;

/** No resource can have such an id. */
function startedId(name: string, namespace = '-'): string {
  const id = `scheduled/${namespace}/${name}`;
  return id.length <= MAX_STARTED_ID ? id : `${id.slice(0, MAX_STARTED_ID - 17)}-${digestOf(id).slice(0, 16)}`;
}
