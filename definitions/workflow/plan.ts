import { allNewsOf, forgottenChildren, removeChildren } from '../core/children.ts';
import type { Plan, View } from '../core/plan.ts';
import type { ConditionClaim, JsonObject } from '../core/resource.ts';
import { given } from '../replicas/schema.ts';
import { nextRunAfter } from './cron.ts';
import { historyOf, type RunNews, refOf, runsOf, surplusOf } from './runs.ts';
import { isAsWished, type ScheduleWish, scheduleOf, syncSteps } from './schedule.ts';
import type { WorkflowSpec, WorkflowStatus } from './schema.ts';

/**
 * Keeps the schedule in the server, lets old runs go, and shows how the runs came out.
 *
 * The runs themselves are resources of their own: made by the schedule or by people, owned by this one.
 */
export function plan(view: View<WorkflowSpec>): Plan {
  const plain = view as unknown as View;
  if (view.deleting) return leaving(view);
  const wish = scheduleOf(view.spec);
  const runs = runsOf(view);
  const surplus = surplusOf(runs, view.spec);
  const syncing = syncSteps(plain, wish);
  const isInForce = syncing.length === 0 || isAsWished(plain, wish);
  return {
    steps: [...syncing, ...(surplus.length > 0 ? removeChildren(plain, { waves: [surplus], inBackground: true }) : [])],
    status: statusOf(view, wish, runs) as unknown as JsonObject,
    phase: phaseOf(view, runs),
    conditions: conditionsOf(wish, isInForce),
    ...(isInForce ? { observedGeneration: view.metadata.generation } : {}),
    forget: forgottenChildren(view),
  };
}

/** Nothing new is started before the runs go. Those that are gone already stay named, so that the wish stays the same. */
function leaving(view: View<WorkflowSpec>): Plan {
  const plain = view as unknown as View;
  // Once it is gone nobody needs to look again: the runs would wait for that.
  const syncing = syncSteps({ ...plain, nudge: 0 }, undefined, view.spec.schedule !== undefined);
  const runs = allNewsOf(view);
  const isKept = view.propagation === 'Orphan';
  const farewell = isKept ? { waves: [], released: runs.filter(({ gone }) => !gone).map(refOf) } : { waves: [runs.map(refOf)], all: true };
  const { conditions: _conditions, phase: _phase, observedGeneration: _generation, ...own } = view.status ?? {};
  return {
    steps: syncing.length > 0 ? syncing : removeChildren(plain, farewell),
    status: own,
    leftBehind: [
      ...(syncing.length > 0 ? ['Its schedule in the Temporal server.'] : []),
      ...runs.filter(({ gone }) => !gone).map(({ kind, name }) => `${kind} ${name}, which it owns.`),
    ],
  };
}

function statusOf(view: View<WorkflowSpec>, wish: ScheduleWish | undefined, runs: readonly RunNews[]): WorkflowStatus {
  const { spec, status, now } = view;
  const history = historyOf(view, runs);
  const [last] = runs.filter(({ startedAt }) => startedAt !== undefined);
  const nextAt = wish && !wish.paused ? nextRunAfter(wish.cron, wish.timezone, now) : undefined;
  const ended = runs.find(({ duration }) => duration !== undefined);
  return {
    active: runs.filter(({ finishedAt, news }) => finishedAt === undefined && !news.deleting).map(({ news }) => news.name),
    history,
    totalSteps: last?.totalSteps ?? (status?.totalSteps as number | undefined) ?? spec.steps.length,
    ...given({
      lastRun: history[0]?.startTime,
      nextRun: nextAt === undefined ? undefined : new Date(nextAt).toISOString(),
      schedule: wish?.cron,
      timezone: wish?.timezone,
      completedSteps: last?.completedSteps ?? (status?.completedSteps as number | undefined),
      duration: ended?.duration ?? (status?.duration as string | undefined),
    }),
  };
}

function phaseOf(view: View<WorkflowSpec>, runs: readonly RunNews[]): string {
  const { spec } = view;
  if (runs.some(({ finishedAt, news }) => finishedAt === undefined && !news.deleting)) return 'Running';
  if (spec.suspend) return 'Suspended';
  const [last] = historyOf(view, runs);
  return last?.status ?? (spec.schedule === undefined ? 'Ready' : 'Scheduled');
}

function conditionsOf(wish: ScheduleWish | undefined, isInForce: boolean): ConditionClaim[] {
  if (!isInForce)
    return [{ type: 'Scheduled', status: 'Unknown', reason: 'Scheduling', message: 'The schedule is being brought to what is wished.' }];
  const ready: ConditionClaim = {
    type: 'Ready',
    status: 'True',
    reason: 'Ready',
    message: wish ? 'The schedule is in force.' : 'It can be run.',
  };
  if (!wish) return [ready, { type: 'Scheduled', status: 'False', reason: 'NoSchedule', message: 'It runs when somebody asks for it.' }];
  if (wish.paused)
    return [
      ready,
      { type: 'Scheduled', status: 'False', reason: 'Suspended', message: 'It does not run by itself while spec.suspend is set.' },
    ];
  return [
    ready,
    { type: 'Scheduled', status: 'True', reason: 'Scheduled', message: `It runs at ${wish.cron}, time zone ${wish.timezone}.` },
  ];
}
