import { digestOf } from '../core/digest.ts';
import { patience } from '../core/patience.ts';
import type { View } from '../core/plan.ts';
import type { Step } from '../core/step.ts';
import { msOf } from '../flows/duration.ts';
import { overlapPolicies, type WorkflowSpec } from './schema.ts';

/** The lane of the schedule in the server. */
export const SCHEDULE = 'schedule';
const SYNC_MS = 30_000;
const CATCH_UP_MS = 60_000;

/** What the server shall keep: the input of `syncSchedule`. */
export interface ScheduleWish {
  readonly cron: string;
  readonly timezone: string;
  readonly overlap: (typeof overlapPolicies)[keyof typeof overlapPolicies];
  readonly catchupWindowMs: number;
  readonly jitterMs: number;
  readonly paused: boolean;
  readonly note: string;
}

/** The schedule that a spec wishes, in one form; undefined when it wishes none. */
export function scheduleOf({ schedule, timezone, concurrencyPolicy, suspend = false }: WorkflowSpec): ScheduleWish | undefined {
  if (schedule === undefined) return undefined;
  const given = typeof schedule === 'string' ? { cron: schedule } : schedule;
  return {
    cron: given.cron.trim(),
    timezone: given.timezone ?? timezone ?? 'UTC',
    overlap: overlapPolicies[given.overlap ?? given.concurrencyPolicy ?? concurrencyPolicy ?? 'Forbid'],
    catchupWindowMs: msOf(given.catchupWindow) ?? CATCH_UP_MS,
    jitterMs: msOf(given.jitter) ?? 0,
    paused: suspend,
    note: suspend ? 'spec.suspend is set' : '',
  };
}

/**
 * Brings the schedule to what is wished; nothing when it is there, or when there was never one. Who asks to look again gets a new look.
 *
 * @param mayExist one may be there although nobody has reported it.
 */
export function syncSteps(view: View, wish: ScheduleWish | undefined, mayExist = false): readonly Step[] {
  const seen = view.observed[SCHEDULE];
  const key = `${keyOf(wish)}${view.nudge > 0 ? `/n${view.nudge}` : ''}`;
  const isUnderWay = view.inAir?.some((one) => one.startsWith('schedule/')) ?? false;
  const isNeverMade = !wish && !seen && !mayExist && !isUnderWay && !view.failing[SCHEDULE];
  if (isNeverMade || (seen?.key === key && !seen.lost)) return [];
  const { retry, ...limit } = patience(view, SCHEDULE, key, SYNC_MS);
  return [
    {
      key,
      about: SCHEDULE,
      activity: 'syncSchedule',
      reason: wish ? 'Scheduling' : 'Unscheduling',
      summary: wish ? `run at ${wish.cron} ${wish.timezone}` : 'take the schedule away',
      input: { schedule: wish ?? null, kind: view.kind, apiVersion: view.apiVersion },
      with: ['metadata'],
      timeouts: { ...limit, startToCloseMs: SYNC_MS },
      retry,
    },
  ];
}

/** Whether the last look left it as it is wished now; nothing speaks against that while another look is under way. */
export function isAsWished({ observed, failing }: View, wish: ScheduleWish | undefined): boolean {
  const seen = observed[SCHEDULE];
  const key = keyOf(wish);
  return seen !== undefined && !seen.lost && !failing[SCHEDULE] && (seen.key === key || seen.key.startsWith(`${key}/`));
}

const keyOf = (wish: ScheduleWish | undefined): string => `schedule/${wish ? digestOf(wish) : 'none'}`;
