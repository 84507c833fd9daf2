import { ScheduleNotFoundError } from '@temporalio/client';
import { Cron } from 'croner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../faults/processes.ts';
import { FAR, Flow, FlowLab } from './flow-lab.ts';

let lab: FlowLab;

beforeAll(async () => {
  lab = await FlowLab.open();
});

afterAll(() => lab?.close());

describe.concurrent('the schedule of a Workflow', () => {
  it.each([
    ['quarters', '*/15 * * * *', 'UTC'],
    ['nights', '0 2 * * *', 'Europe/Stockholm'],
    ['workdays', '30 6 * * 1-5', 'America/New_York'],
    ['either-day', '0 0 13 * 5', 'UTC'],
    ['sundays', '5 4 * * 7', 'UTC'],
    ['lists', '0 12 1,15 */2 *', 'Asia/Tokyo'],
  ])('%s: %s in %s starts when cron says', async (name, cron, timezone) => {
    const flow = new Flow(lab, name);
    await flow.apply({ schedule: { cron, timezone } });
    const { info, state } = await flow.describe();
    expect(state.paused).toBe(false);
    // A time that came meanwhile is one that it has started at.
    const past = info.numActionsTaken;
    const expected = new Cron(cron, { timezone, paused: true }).nextRuns(past + 5, new Date(info.createdAt)).slice(past);
    expect(info.nextActionTimes.slice(0, 5).map((at) => at.toISOString())).toEqual(expected.map((at) => at.toISOString()));
    await eventually('the Workflow says the same', async () => {
      const [next] = (await flow.describe()).info.nextActionTimes;
      return (await lab.workflows.get(name)).status?.nextRun === next?.toISOString() || undefined;
    });
  });

  it('is brought to every newer wish', async () => {
    const flow = new Flow(lab, 'changing');
    await flow.apply({ schedule: { cron: FAR, overlap: 'SKIP', catchupWindow: '1m' } });
    const { createdAt } = (await flow.describe()).info;
    const schedule = { cron: '0 4 * * *', overlap: 'BUFFER_ONE', catchupWindow: '2m', jitter: '5s' };
    const { metadata } = await flow.apply({ schedule, suspend: true });
    const newer = await flow.describe();
    expect(newer.policies).toMatchObject({ overlap: 'BUFFER_ONE', catchupWindow: 120_000 });
    expect(newer.state).toMatchObject({ paused: true, note: 'spec.suspend is set' });
    expect(newer.spec.jitter).toBe(5_000);
    expect(newer.memo).toEqual({ colony: { resource: flow.id, uid: metadata.uid } });
    await flow.apply({ schedule: { cron: '0 4 * * *' } });
    const newest = await flow.describe();
    expect(newest.policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 60_000 });
    expect([newest.state.paused, newest.state.note || undefined, newest.spec.jitter || undefined]).toEqual([false, undefined, undefined]);
    expect(newest.info.createdAt).toEqual(createdAt);
  });

  it('goes without a trace when the spec loses it', async () => {
    const flow = new Flow(lab, 'losing');
    await flow.apply({ schedule: FAR });
    const { status } = await flow.apply({});
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Scheduled', status: 'False', reason: 'NoSchedule' }));
    await expect(flow.describe()).rejects.toBeInstanceOf(ScheduleNotFoundError);
  });

  it('may be gone already when the spec loses it', async () => {
    const flow = new Flow(lab, 'lost');
    await flow.apply({ schedule: FAR });
    await flow.schedule.delete();
    await flow.apply({});
    await expect(flow.describe()).rejects.toBeInstanceOf(ScheduleNotFoundError);
  });

  it('is never the one that somebody else made', async () => {
    const flow = new Flow(lab, 'taken');
    const action = { type: 'startWorkflow', workflowType: 'Other', taskQueue: 'other', args: [] } as const;
    await lab.client.schedule.create({ scheduleId: flow.id, spec: { cronExpressions: [FAR] }, action, state: { note: 'mine' } });
    const untouched = async (): Promise<void> => {
      const { state, action: kept, memo, info } = await flow.describe();
      expect([state.note, kept.workflowType, memo ?? {}, info.lastUpdatedAt]).toEqual(['mine', 'Other', {}, undefined]);
    };
    await flow.wish({ schedule: '0 5 * * *' });
    const refused = await lab.workflows.waitFor(flow.name, 'Ready', { status: 'False', timeoutMs: 60_000 });
    expect(refused?.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', reason: 'ScheduleTaken' }));
    await untouched();
    await flow.apply({});
    await untouched();
  });

  it('is not in the way of a deletion when somebody else made it', async () => {
    const flow = new Flow(lab, 'in-the-way');
    const action = { type: 'startWorkflow', workflowType: 'Other', taskQueue: 'other', args: [] } as const;
    await lab.client.schedule.create({ scheduleId: flow.id, spec: { cronExpressions: [FAR] }, action });
    await flow.wish({ schedule: '0 5 * * *' });
    await lab.workflows.waitFor(flow.name, 'Ready', { status: 'False', timeoutMs: 60_000 });
    await lab.workflows.delete(flow.name, { timeoutMs: 60_000 });
    expect((await flow.describe()).action.workflowType).toBe('Other');
  });

  it('replaces the one that an earlier Workflow of the same name has left', async () => {
    const flow = new Flow(lab, 'again');
    const { metadata: before } = await flow.apply({ schedule: FAR, suspend: true });
    await flow.handle.terminate();
    const { metadata } = await flow.apply({ schedule: '0 5 * * *' });
    expect(metadata.uid).not.toBe(before.uid);
    const { memo, action, state } = await flow.describe();
    expect(memo).toEqual({ colony: { resource: flow.id, uid: metadata.uid } });
    expect(action.args).toMatchObject([{ workflow: { uid: metadata.uid, id: flow.id, name: flow.name, namespace: 'default' } }]);
    expect(state.paused).toBe(false);
  });
});

it('a worker that dies when the schedule is made, before it could say so: the next one finds it made', async () => {
  const flow = new Flow(lab, 'repeated');
  await lab.replaceWorker({ COLONY_FAILPOINT: 'syncSchedule:after:1' });
  await flow.wish({ schedule: { cron: FAR, jitter: '5s' } });
  const { info } = await eventually('it is made', () => flow.describe());
  const { metadata } = (await lab.workflows.waitFor(flow.name, 'Ready', { timeoutMs: 90_000 })) ?? {};
  const found = await flow.describe();
  expect(lab.worker.deaths).toBe(1);
  expect(found.info.createdAt).toEqual(info.createdAt);
  expect(found.spec.jitter).toBe(5_000);
  expect(found.memo).toEqual({ colony: { resource: flow.id, uid: metadata?.uid } });
});
