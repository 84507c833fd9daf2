import { describe, expect, it } from 'vitest';
import type { ChildNews } from '../core/family.ts';
import { checkWith } from '../core/issues/index.ts';
import type { View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Observation } from '../core/step.ts';
import { fn } from '../workflow-run/test-double/stage.ts';
import { workflow } from './index.ts';
import type { WorkflowSpec } from './schema.ts';

const NOW = Date.UTC(2025, 9, 20, 12);

function viewOf(spec: JsonObject, more: Partial<View> = {}): View<WorkflowSpec> {
  const checked = checkWith(workflow.spec, { steps: [fn('a'), fn('b')], ...spec }, 'spec');
  if ('issues' in checked) throw new Error(JSON.stringify(checked.issues));
  return {
    now: NOW,
    apiVersion: 'automation.colonies.io/v1',
    kind: 'Workflow',
    metadata: {
      name: 'w',
      namespace: 'default',
      uid: 'u',
      resourceVersion: '1',
      generation: 3,
      creationTimestamp: '',
      labels: {},
      annotations: {},
      ownerReferences: [],
      finalizers: [],
    },
    deleting: false,
    observed: {},
    failing: {},
    nudge: 0,
    status: undefined,
    tuning: { scheduleToStartMs: 30_000, firstRetryMs: 1_000 },
    ...more,
    spec: checked.value,
  };
}

function run(number: number, phase: string, more: JsonObject = {}): Record<string, Observation> {
  const name = `w-${String(number).padStart(2, '0')}`;
  const id = `workflowruns.automation.colonies.io/default/${name}`;
  const day = String(number).padStart(2, '0');
  const isOver = phase !== 'Running';
  const news: ChildNews = {
    id,
    uid: `u${number}`,
    apiVersion: 'automation.colonies.io/v1',
    kind: 'WorkflowRun',
    name,
    resourceVersion: '1',
    generation: 1,
    phase,
    ready: 'Unknown',
    reason: '',
    message: '',
    values: {
      'status.startedAt': `2025-10-${day}T01:00:00.000Z`,
      'status.completedSteps': isOver ? 2 : 1,
      'status.totalSteps': 2,
      ...(isOver ? { 'status.finishedAt': `2025-10-${day}T02:23:45.000Z`, 'status.duration': '1h23m45s' } : {}),
    },
    ...more,
  };
  return { [`child/${id}`]: { key: 'news', generation: 1, at: NOW, value: news } };
}

/** After the schedule's own step has landed. */
function settled(spec: JsonObject, more: Partial<View> = {}) {
  const step = workflow.plan(viewOf(spec, more)).steps.find(({ about }) => about === 'schedule');
  const done = step ? { schedule: { key: step.key, generation: 3, at: NOW, value: {} } } : {};
  return workflow.plan(viewOf(spec, { ...more, observed: { ...more.observed, ...done } }));
}

describe('the schedule of a Workflow', () => {
  it('is kept in the server as the spec wishes it', () => {
    const { steps } = workflow.plan(viewOf({ schedule: '0 1 * * *' }));
    expect(steps).toMatchObject([
      {
        about: 'schedule',
        activity: 'syncSchedule',
        with: ['metadata'],
        input: {
          schedule: { cron: '0 1 * * *', timezone: 'UTC', overlap: 'SKIP', catchupWindowMs: 60_000, jitterMs: 0, paused: false, note: '' },
          kind: 'Workflow',
          apiVersion: 'automation.colonies.io/v1',
        },
      },
    ]);
    expect(settled({ schedule: '0 1 * * *' }).steps).toEqual([]);
  });

  it.each([
    { given: { concurrencyPolicy: 'Allow' }, overlap: 'ALLOW_ALL' },
    { given: { concurrencyPolicy: 'Replace' }, overlap: 'CANCEL_OTHER' },
    {
      given: { schedule: { cron: '0 1 * * *', overlap: 'BUFFER_ONE', timezone: 'Europe/Stockholm', catchupWindow: '1h', jitter: 30 } },
      overlap: 'BUFFER_ONE',
    },
  ])('says what overlaps: $overlap', ({ given, overlap }) => {
    const [step] = workflow.plan(viewOf({ schedule: '0 1 * * *', ...given })).steps;
    expect(step?.input.schedule).toMatchObject({ overlap });
  });

  it('is changed with the spec, paused with suspend, and taken away when it is not wished any more', () => {
    const observed = { schedule: { key: 'schedule/old', generation: 1, at: NOW, value: {} } };
    expect(workflow.plan(viewOf({ schedule: '5 1 * * *', suspend: true }, { observed })).steps[0]?.input.schedule).toMatchObject({
      paused: true,
    });
    expect(workflow.plan(viewOf({}, { observed })).steps[0]?.input).toMatchObject({ schedule: null });
    expect(workflow.plan(viewOf({})).steps).toEqual([]);
  });

  it('is looked at again when somebody asks for it, and is in force meanwhile', () => {
    const spec = { schedule: '0 1 * * *' };
    const observed = { schedule: { key: workflow.plan(viewOf(spec)).steps[0]?.key ?? '', generation: 3, at: NOW, value: {} } };
    const asked = workflow.plan(viewOf(spec, { observed, nudge: 1 }));
    expect(asked.steps).toMatchObject([{ activity: 'syncSchedule', input: { schedule: { cron: '0 1 * * *' } } }]);
    expect(asked.conditions).toEqual(settled(spec).conditions);
    expect(asked.observedGeneration).toBe(3);
    const looked = { schedule: { ...observed.schedule, key: asked.steps[0]?.key ?? '' } };
    expect(workflow.plan(viewOf(spec, { observed: looked, nudge: 1 })).steps).toEqual([]);
    const failing = {
      schedule: { key: asked.steps[0]?.key ?? '', reason: 'ScheduleTaken', message: '', count: 1, since: NOW, retryAt: NOW },
    };
    expect(workflow.plan(viewOf(spec, { observed, nudge: 1, failing })).conditions).toMatchObject([
      { type: 'Scheduled', status: 'Unknown' },
    ]);
    const changed = workflow.plan(viewOf({ schedule: '5 1 * * *' }, { observed, nudge: 1 }));
    expect(changed.conditions).toMatchObject([{ type: 'Scheduled', status: 'Unknown' }]);
  });

  it('is taken away even when nobody knows whether it was made', () => {
    const none = [{ activity: 'syncSchedule', input: { schedule: null } }];
    expect(workflow.plan(viewOf({}, { inAir: ['schedule/first'] })).steps).toMatchObject(none);
    expect(workflow.plan(viewOf({ schedule: '0 1 * * *' }, { deleting: true })).steps).toMatchObject(none);
    const lost: Observation = { key: 'schedule/none', generation: 1, at: NOW, value: {}, lost: true };
    expect(workflow.plan(viewOf({}, { observed: { schedule: lost } })).steps).toMatchObject(none);
  });

  it('tells the next run in its time zone, over a change of the clocks', () => {
    expect(settled({ schedule: '0 1 * * *' }).status).toMatchObject({ nextRun: '2025-10-21T01:00:00.000Z', timezone: 'UTC' });
    const zone = { schedule: '30 2 * * *', timezone: 'Europe/Stockholm' };
    expect(settled(zone, { now: Date.UTC(2025, 9, 25, 12) }).status.nextRun).toBe('2025-10-26T00:30:00.000Z');
    expect(settled({ schedule: '0 1 * * *', suspend: true }).status.nextRun).toBeUndefined();
  });

  it('shows its cron text in the table, whichever form the spec has', () => {
    const column = workflow.columns?.find(({ name }) => name === 'Schedule');
    expect(column).toMatchObject({ jsonPath: '.status.schedule', type: 'string' });
    expect(settled({ schedule: '0 1 * * *' }).status.schedule).toBe('0 1 * * *');
    expect(settled({ schedule: { cron: '0 2 * * *', timezone: 'Asia/Tokyo', overlap: 'SKIP' } }).status.schedule).toBe('0 2 * * *');
    expect(settled({}).status).not.toHaveProperty('schedule');
  });

  it('shows in the conditions', () => {
    expect(settled({ schedule: '0 1 * * *' }).conditions).toMatchObject([
      { type: 'Ready', status: 'True' },
      { type: 'Scheduled', status: 'True', message: 'It runs at 0 1 * * *, time zone UTC.' },
    ]);
    expect(settled({}).conditions).toMatchObject([
      { type: 'Ready', status: 'True' },
      { type: 'Scheduled', reason: 'NoSchedule' },
    ]);
    expect(workflow.plan(viewOf({ schedule: '0 1 * * *' })).conditions).toMatchObject([{ type: 'Scheduled', status: 'Unknown' }]);
  });

  it.each([
    { schedule: '0 1 * *', path: 'spec.schedule' },
    { schedule: '0 0 1 * * *', path: 'spec.schedule' },
    { schedule: '99 1 * * *', path: 'spec.schedule' },
    { schedule: '0 1 L * *', path: 'spec.schedule' },
    { schedule: '@daily', path: 'spec.schedule' },
    { schedule: '0 1 31 2 *', path: 'spec.schedule' },
    { schedule: { cron: '0 0 31 4,6,9,11 *' }, path: 'spec.schedule.cron' },
    { schedule: { cron: '0 1 * * *', timezone: 'Mars' }, path: 'spec.schedule.timezone' },
  ])('is refused when it cannot be: $schedule', ({ schedule, path }) => {
    const checked = checkWith(workflow.spec, { schedule, steps: [fn('a')] }, 'spec');
    expect('issues' in checked && checked.issues.map((issue) => issue.path)).toEqual([path]);
  });

  it.each(['0 1 29 2 *', '0 1 31 2 5', '0 1 31 * *'])('is accepted when it comes at last: %s', (schedule) => {
    expect(checkWith(workflow.spec, { schedule, steps: [fn('a')] }, 'spec')).toHaveProperty('value');
  });

  it('needs defaults for all parameters', () => {
    const checked = checkWith(workflow.spec, { schedule: '0 1 * * *', params: [{ name: 'x' }], steps: [fn('a')] }, 'spec');
    expect(checked).toEqual({
      issues: [{ path: 'spec.params[0].default', message: 'is required: nobody gives a value when the schedule starts a run' }],
    });
  });
});

describe('the runs of a Workflow', () => {
  it('show as in the document', () => {
    const plan = settled({ schedule: '0 1 * * *' }, { observed: { ...run(19, 'Succeeded'), ...run(20, 'Succeeded') } });
    expect(plan.phase).toBe('Succeeded');
    expect(plan.status).toEqual({
      active: [],
      lastRun: '2025-10-20T01:00:00.000Z',
      nextRun: '2025-10-21T01:00:00.000Z',
      schedule: '0 1 * * *',
      timezone: 'UTC',
      completedSteps: 2,
      totalSteps: 2,
      duration: '1h23m45s',
      history: [
        { runId: 'w-20', startTime: '2025-10-20T01:00:00.000Z', endTime: '2025-10-20T02:23:45.000Z', status: 'Succeeded' },
        { runId: 'w-19', startTime: '2025-10-19T01:00:00.000Z', endTime: '2025-10-19T02:23:45.000Z', status: 'Succeeded' },
      ],
    });
  });

  it('that have not ended make it Running', () => {
    const plan = settled({}, { observed: { ...run(19, 'Failed'), ...run(20, 'Running') } });
    expect(plan).toMatchObject({ phase: 'Running', status: { active: ['w-20'], completedSteps: 1 } });
    expect(settled({}, { observed: run(20, 'Failed') }).phase).toBe('Failed');
  });

  it('that are old go, those that succeeded and the others counted apart; what they were stays in the history', () => {
    const observed = {
      ...run(1, 'Succeeded'),
      ...run(2, 'Failed'),
      ...run(3, 'Succeeded'),
      ...run(4, 'Cancelled'),
      ...run(5, 'Succeeded'),
      ...run(6, 'Running'),
    };
    const limited = { successfulRunsHistoryLimit: 1, failedRunsHistoryLimit: 1 };
    const plan = settled(limited, { observed });
    expect(plan.steps).toMatchObject([
      { activity: 'removeChildren', input: { waves: [[{ name: 'w-01' }, { name: 'w-02' }, { name: 'w-03' }]], inBackground: true } },
    ]);
    const gone = { ...run(4, 'Cancelled'), ...run(5, 'Succeeded'), ...run(1, 'Succeeded', { gone: true }) };
    const later = settled(limited, { observed: gone, status: plan.status });
    expect(later.steps).toEqual([]);
    expect((later.status.history as { runId: string }[]).map(({ runId }) => runId)).toEqual([
      'w-06',
      'w-05',
      'w-04',
      'w-03',
      'w-02',
      'w-01',
    ]);
    expect(later.forget).toEqual(['child/workflowruns.automation.colonies.io/default/w-01']);
  });

  it('that are gone before their end count as terminated, whoever ended them; those that had ended stay as they were', () => {
    const before = settled({}, { observed: { ...run(18, 'Failed'), ...run(19, 'Succeeded'), ...run(20, 'Running') } });
    const gone = { phase: 'Gone', reason: 'Gone', gone: true, values: undefined };
    const observed = { ...run(18, 'Failed'), ...run(19, 'Succeeded', gone), ...run(20, 'Running', gone) };
    const { phase, status, forget } = settled({}, { observed, status: before.status as never });
    expect(phase).toBe('Terminated');
    expect(status).toMatchObject({
      active: [],
      history: [
        { runId: 'w-20', startTime: '2025-10-20T01:00:00.000Z', endTime: '2025-10-20T12:00:00.000Z', status: 'Terminated' },
        { runId: 'w-19', endTime: '2025-10-19T02:23:45.000Z', status: 'Succeeded' },
        { runId: 'w-18', status: 'Failed' },
      ],
    });
    expect(forget).toHaveLength(2);
    expect(settled({}, { observed: run(18, 'Failed'), status: status as never })).toMatchObject({ phase: 'Terminated', status });
  });

  it('go after the schedule when the Workflow is deleted, all of them', () => {
    const observed = { schedule: { key: 'schedule/x', generation: 1, at: NOW, value: {} }, ...run(6, 'Running') };
    const first = workflow.plan(viewOf({ schedule: '0 1 * * *' }, { deleting: true, propagation: 'Background', observed }));
    expect(first.steps).toMatchObject([{ activity: 'syncSchedule', input: { schedule: null } }]);
    const none = { ...observed, schedule: { key: 'schedule/none', generation: 1, at: NOW, value: {} } };
    const second = workflow.plan(viewOf({ schedule: '0 1 * * *' }, { deleting: true, propagation: 'Background', observed: none }));
    expect(second.steps).toMatchObject([{ activity: 'removeChildren', input: { all: true, waves: [[{ name: 'w-06' }]] } }]);
  });
});

describe('commands', () => {
  it('pause and resume write the spec', () => {
    const call = { actor: 'ann', now: NOW };
    expect(workflow.commands?.pause?.(viewOf({}), {}, call)).toMatchObject({ spec: { suspend: true }, answer: { paused: true } });
    expect(workflow.commands?.resume?.(viewOf({ suspend: true }), {}, call)).toMatchObject({ spec: { suspend: false } });
  });
});
