import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Client, ScheduleNotFoundError, ScheduleOverlapPolicy, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { Cron } from 'croner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFlowActivities } from '../../activities/flows/index.ts';
import type { ScheduleSeen, ScheduleWish } from '../../activities/flows/sync-schedule.ts';
import { ensureSearchAttributes } from '../../src/embedded/search-attributes.ts';
import { createLog, installRuntime } from '../../src/node/log.ts';
import { eventually } from '../faults/processes.ts';
import { connectClient, leaseNamespace, temporalAddress } from '../support/temporal.ts';

let client: Client;
let connection: NativeConnection;
let namespace: string;
let worker: Worker;
let running: Promise<void>;

/** The schedule, the activities and what a schedule starts are real; the two kinds are stand-ins. */
async function startWorker(): Promise<void> {
  worker = await Worker.create({
    connection,
    namespace,
    taskQueue: 'colony',
    workflowsPath: fileURLToPath(new URL('./stand-ins.ts', import.meta.url)),
    activities: createFlowActivities(client),
    shutdownGraceTime: 0,
    shutdownForceTime: '1s',
    stickyQueueScheduleToStartTimeout: '1s',
  });
  running = worker.run();
  running.catch(() => {});
}

beforeAll(async () => {
  installRuntime(createLog('error', 'test'));
  namespace = leaseNamespace();
  client = await connectClient(namespace);
  connection = await NativeConnection.connect({ address: temporalAddress() });
  await ensureSearchAttributes(connection, namespace);
  await startWorker();
});

afterAll(async () => {
  worker?.shutdown();
  await running;
  await connection?.close();
  await client?.connection.close();
});

const FAR = '0 3 1 1 *';

/** One Workflow and what its schedule makes. */
class Flow {
  readonly name = `f-${randomUUID().slice(0, 8)}`;
  readonly id = `workflows.automation.colonies.io/default/${this.name}`;
  handle: WorkflowHandle = client.workflow.getHandle(this.id);

  get schedule() {
    return client.schedule.getHandle(this.id);
  }

  async start(): Promise<this> {
    this.handle = await client.workflow.start('Workflow', { workflowId: this.id, taskQueue: 'colony', args: [this.name] });
    return this;
  }

  /** A flow with that schedule. */
  static async with(wish: ScheduleWish): Promise<Flow> {
    const flow = await new Flow().start();
    await flow.sync(wish);
    return flow;
  }

  sync(wish: ScheduleWish | null): Promise<ScheduleSeen> {
    return this.handle.executeUpdate<ScheduleSeen, [ScheduleWish | null]>('sync', { args: [wish] });
  }

  /** What the schedule has started so far, oldest first. */
  async started(): Promise<WorkflowHandle[]> {
    const { info } = await this.schedule.describe();
    return info.recentActions.map(({ action }) => client.workflow.getHandle(action.workflow.workflowId));
  }

  async nthStarted(n: number): Promise<WorkflowHandle> {
    return await eventually(`${n} were started`, async () => (await this.started())[n - 1]);
  }

  /** The run that a start has made. */
  async runOf(started: WorkflowHandle): Promise<WorkflowHandle> {
    const stamp = started.workflowId.slice(started.workflowId.lastIndexOf(this.name) + this.name.length).replace(/\D/g, '');
    const run = client.workflow.getHandle(`workflowruns.automation.colonies.io/default/${this.name}-${stamp}`);
    await eventually(`${run.workflowId} runs`, async () => ((await phaseOf(run)) === 'Running' ? true : undefined));
    return run;
  }
}

const phaseOf = async (run: WorkflowHandle): Promise<string | undefined> =>
  ((await run.describe()).searchAttributes.ColonyPhase as string[] | undefined)?.[0];

const statusOf = async (handle: WorkflowHandle): Promise<string> => (await handle.describe()).status.name;

/** Triggers of one second would have one name. */
const nextSecond = (): Promise<void> => new Promise((wake) => setTimeout(wake, 1_050 - (Date.now() % 1_000)));

describe.concurrent('syncSchedule', () => {
  it.each([
    ['*/15 * * * *', 'UTC'],
    ['0 2 * * *', 'Europe/Stockholm'],
    ['30 6 * * 1-5', 'America/New_York'],
    ['0 0 13 * 5', 'UTC'],
    ['5 4 * * 7', 'UTC'],
    ['0 12 1,15 */2 *', 'Asia/Tokyo'],
  ])('%s in %s starts when cron says', async (cron, timezone) => {
    const flow = await new Flow().start();
    const { nextRun, scheduleId, paused } = await flow.sync({ cron, timezone });
    expect({ scheduleId, paused }).toEqual({ scheduleId: flow.id, paused: false });
    const { info } = await flow.schedule.describe();
    const expected = new Cron(cron, { timezone, paused: true }).nextRuns(5, new Date(info.createdAt));
    expect(info.nextActionTimes.slice(0, 5).map((at) => at.toISOString())).toEqual(expected.map((at) => at.toISOString()));
    expect(nextRun).toBe(expected[0]?.toISOString());
  });

  it('brings a schedule to every newer wish, and says the same when it is asked again', async () => {
    const flow = await Flow.with({ cron: FAR, overlap: 'SKIP', catchupWindowMs: 60_000 });
    const wish = {
      cron: '0 4 * * *',
      overlap: 'BUFFER_ONE',
      catchupWindowMs: 120_000,
      jitterMs: 5_000,
      paused: true,
      note: 'resting',
    } as const;
    const first = await flow.sync(wish);
    expect(await flow.sync(wish)).toEqual(first);
    expect(first.paused).toBe(true);
    const { policies, state, spec, memo } = await flow.schedule.describe();
    expect(policies).toMatchObject({ overlap: 'BUFFER_ONE', catchupWindow: 120_000 });
    expect(state).toMatchObject({ paused: true, note: 'resting' });
    expect(spec.jitter).toBe(5_000);
    expect(memo).toEqual({ colony: { resource: flow.id, uid: await uidOf(flow) } });
    expect((await flow.sync({ cron: '0 4 * * *' })).paused).toBe(false);
  });

  it('takes it away without a trace, and is content when there is none', async () => {
    const flow = await Flow.with({ cron: FAR });
    expect(await flow.sync(null)).toEqual({ scheduleId: flow.id, paused: false });
    expect(await flow.sync(null)).toEqual({ scheduleId: flow.id, paused: false });
    await expect(flow.schedule.describe()).rejects.toBeInstanceOf(ScheduleNotFoundError);
  });

  it('never touches one that somebody else made', async () => {
    const flow = await new Flow().start();
    const action = { type: 'startWorkflow', workflowType: 'Other', taskQueue: 'other', args: [] } as const;
    await client.schedule.create({ scheduleId: flow.id, spec: { cronExpressions: [FAR] }, action, state: { note: 'mine' } });
    for (const wish of [{ cron: '0 5 * * *' }, null]) {
      await expect(flow.sync(wish)).rejects.toMatchObject({ cause: { cause: { type: 'ScheduleTaken' } } });
    }
    const { state, action: kept, memo } = await flow.schedule.describe();
    expect([state.note, kept.workflowType, memo ?? {}]).toEqual(['mine', 'Other', {}]);
  });

  it('replaces the one that an earlier resource of the same name has left', async () => {
    const flow = await Flow.with({ cron: FAR, note: 'old' });
    const before = await uidOf(flow);
    await flow.handle.terminate();
    await flow.start();
    await flow.sync({ cron: '0 5 * * *' });
    const { memo, action } = await flow.schedule.describe();
    const uid = await uidOf(flow);
    expect(uid).not.toBe(before);
    expect(memo).toEqual({ colony: { resource: flow.id, uid } });
    expect(action.args).toMatchObject([{ workflow: { uid, id: flow.id, name: flow.name, namespace: 'default' } }]);
  });
});

const uidOf = async ({ handle }: Flow): Promise<string> => {
  const { raw, runId } = await handle.describe();
  return raw.workflowExecutionInfo?.firstRunId || runId;
};

describe.concurrent('a start of the schedule', () => {
  it('makes one run named by its time, ends with it, and writes nothing while it waits', async () => {
    const flow = await Flow.with({ cron: FAR });
    await flow.schedule.trigger();
    const started = await flow.nthStarted(1);
    const run = await flow.runOf(started);
    const { memo } = await run.describe();
    expect(memo?.meta).toMatchObject({
      ownerReferences: [{ kind: 'Workflow', name: flow.name, uid: await uidOf(flow), controller: true }],
    });
    const looks = async (): Promise<number> => Number((await started.describe()).raw.pendingActivities?.[0]?.attempt ?? 0);
    await eventually('it waits', async () => (await looks()) >= 2 || undefined);
    const { historyLength } = await started.describe();
    await eventually('it has looked again', async () => (await looks()) >= 4 || undefined);
    expect((await started.describe()).historyLength).toBe(historyLength);
    expect(historyLength).toBeLessThan(15);
    await run.signal('finish');
    expect(await started.result()).toEqual({ run: run.workflowId, phase: 'Succeeded' });
  });

  it('makes one run for each time that is backfilled, and another one for a time that has one', async () => {
    const flow = await Flow.with({ cron: '0 * * * *', overlap: 'ALLOW_ALL' });
    const [start, end] = [new Date('2026-03-01T00:30:00Z'), new Date('2026-03-01T03:30:00Z')];
    const backfill = () => flow.schedule.backfill({ start, end, overlap: ScheduleOverlapPolicy.ALLOW_ALL });
    const named = async (): Promise<string[]> => {
      const names: string[] = [];
      for await (const { workflowId } of client.workflow.list({
        query: `WorkflowType = 'WorkflowRun' AND WorkflowId STARTS_WITH 'workflowruns.automation.colonies.io/default/${flow.name}-'`,
      })) {
        names.push(workflowId.slice(workflowId.lastIndexOf('/') + flow.name.length + 2));
      }
      return names.sort();
    };
    await backfill();
    const times = ['20260301010000', '20260301020000', '20260301030000'];
    await eventually('three runs', async () => ((await named()).length === 3 ? true : undefined));
    expect(await named()).toEqual(times);
    for (const time of times)
      await client.workflow.getHandle(`workflowruns.automation.colonies.io/default/${flow.name}-${time}`).signal('finish');
    for (const started of await flow.started()) await started.result();
    await backfill();
    await eventually('three more', async () => ((await named()).length === 6 ? true : undefined));
    expect(await named()).toEqual(times.flatMap((time) => [time, `${time}-2`]));
  });

  it('is skipped by SKIP while a run goes on', async () => {
    const flow = await Flow.with({ cron: FAR, overlap: 'SKIP' });
    await flow.schedule.trigger(ScheduleOverlapPolicy.SKIP);
    const started = await flow.nthStarted(1);
    const run = await flow.runOf(started);
    await nextSecond();
    await flow.schedule.trigger(ScheduleOverlapPolicy.SKIP);
    await eventually('it was skipped', async () =>
      (await flow.schedule.describe()).info.numActionsSkippedOverlap === 1 ? true : undefined,
    );
    expect(await flow.started()).toHaveLength(1);
    await run.signal('finish');
    await started.result();
    await flow.schedule.trigger(ScheduleOverlapPolicy.SKIP);
    expect((await flow.nthStarted(2)).workflowId).not.toBe(started.workflowId);
  });

  it('by CANCEL_OTHER cancels the run before it, and begins when that has ended', async () => {
    const flow = await Flow.with({ cron: FAR, overlap: 'CANCEL_OTHER' });
    await flow.schedule.trigger(ScheduleOverlapPolicy.CANCEL_OTHER);
    const first = await flow.nthStarted(1);
    const run = await flow.runOf(first);
    await nextSecond();
    await flow.schedule.trigger(ScheduleOverlapPolicy.CANCEL_OTHER);
    const second = await flow.nthStarted(2);
    expect([await phaseOf(run), await statusOf(first)]).toEqual(['Cancelled', 'CANCELLED']);
    expect(await phaseOf(await flow.runOf(second))).toBe('Running');
  });

  it('does not come while the schedule rests, and comes afterwards', async () => {
    const flow = await Flow.with({ cron: '* * * * * * *', paused: true });
    const seen = await flow.schedule.describe();
    expect(seen.state.paused).toBe(true);
    await new Promise((wake) => setTimeout(wake, 2_500));
    expect(await flow.started()).toEqual([]);
    await flow.sync({ cron: '* * * * * * *', paused: false });
    await flow.nthStarted(1);
    await flow.sync(null);
  });

  it('ends at once when the Workflow is gone, or another one has its name', async () => {
    const flow = await Flow.with({ cron: FAR });
    await flow.handle.terminate();
    await flow.schedule.trigger();
    expect(await (await flow.nthStarted(1)).result()).toEqual({ phase: 'Gone' });
    await flow.start();
    await nextSecond();
    await flow.schedule.trigger();
    expect(await (await flow.nthStarted(2)).result()).toEqual({ phase: 'Gone' });
  });

  it('ends when its run is gone', async () => {
    const flow = await Flow.with({ cron: FAR });
    await flow.schedule.trigger();
    const started = await flow.nthStarted(1);
    await (await flow.runOf(started)).terminate();
    expect(await started.result()).toMatchObject({ phase: 'Gone' });
  });

  it.sequential('goes on with another worker when its own is gone', async () => {
    const flow = await Flow.with({ cron: FAR });
    await flow.schedule.trigger();
    const started = await flow.nthStarted(1);
    const run = await flow.runOf(started);
    worker.shutdown();
    await running;
    await startWorker();
    await run.signal('finish');
    expect(await started.result()).toEqual({ run: run.workflowId, phase: 'Succeeded' });
  });
});
