import { ScheduleNotFoundError, ScheduleOverlapPolicy, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Resource } from '../../definitions/core/resource.ts';
import { workflowCode } from '../../src/node/workflow-code.ts';
import { eventually } from '../faults/processes.ts';
import type { History } from '../stress/histories.ts';
import { FAR, Flow, FlowLab, step } from './flow-lab.ts';

let lab: FlowLab;

beforeAll(async () => {
  lab = await FlowLab.open();
});

afterAll(() => lab?.close());

async function scheduled(name: string, overlap: string, more: JsonObject = {}): Promise<Flow> {
  const flow = new Flow(lab, name);
  await flow.apply({ schedule: { cron: FAR, overlap }, onExit: [step('bye', 'tell', { status: '${run.status}' })], ...more });
  return flow;
}

const callOf = (run: Resource) => lab.calls.find(({ call }) => call.run === run.metadata.name)?.call;

const told = (run: Resource): readonly unknown[] =>
  lab.calls.filter(({ name, call }) => name === 'tell' && call.run === run.metadata.name).map(({ call }) => call.kwargs.status);

const runIdOf = ({ metadata }: Resource): string => `workflowruns.automation.colonies.io/default/${metadata.name}`;

/** The time that the schedule meant, as names of runs have it. */
function stampOf({ workflowId }: WorkflowHandle): string {
  const [, time] = /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z$/.exec(workflowId) ?? [];
  if (!time) throw new Error(`no time in ${workflowId}`);
  return time.replace(/\D/g, '');
}

/** A start of a schedule that may be gone, so that only the index knows. */
async function startIn({ client }: FlowLab, prefix: string): Promise<WorkflowHandle | undefined> {
  for await (const { workflowId } of client.workflow.list({ query: `WorkflowType = 'scheduledRun'` })) {
    if (workflowId.startsWith(prefix)) return client.workflow.getHandle(workflowId);
  }
  return undefined;
}

/** Triggers of one second would have one name. */
const nextSecond = (): Promise<void> => new Promise((wake) => setTimeout(wake, 1_050 - (Date.now() % 1_000)));

describe.concurrent('a Workflow with a schedule', () => {
  it('makes runs that do their steps, and knows of them', async () => {
    const flow = await scheduled('plain', 'SKIP');
    await flow.schedule.trigger(ScheduleOverlapPolicy.SKIP);
    const run = await flow.run(1);
    expect(run.metadata.name).toMatch(/^plain-\d{14}$/);
    expect(callOf(run)).toMatchObject({ args: [], kwargs: {}, workflow: 'plain', step: 'load', attempt: 1 });
    await nextSecond();
    await flow.schedule.trigger(ScheduleOverlapPolicy.SKIP);
    await eventually('one was skipped', async () => (await flow.describe()).info.numActionsSkippedOverlap === 1 || undefined);
    lab.free(run);
    await lab.hasPhase(run, 'Succeeded');
    await eventually('the Workflow has heard', async () => {
      const { history } = (await lab.workflows.get('plain')).status as {
        readonly history?: readonly { readonly runId: string; readonly status: string }[];
      };
      return history?.some(({ runId, status }) => runId === run.metadata.name && status === 'Succeeded') || undefined;
    });
    expect(await flow.runs()).toHaveLength(1);
    expect(told(run)).toEqual(['Succeeded']);
    await (await flow.start(1)).result();
    await flow.schedule.trigger(ScheduleOverlapPolicy.SKIP);
    lab.free(await flow.run(2));
  });

  it('makes runs also when it is too large for the index', async () => {
    const text = 'x'.repeat(40_000);
    const flow = await scheduled('large', 'SKIP', { steps: [step('load', 'hold', { text })] });
    await flow.schedule.trigger(ScheduleOverlapPolicy.SKIP);
    const run = await flow.run(1);
    expect(callOf(run)?.kwargs).toEqual({ text });
    lab.free(run);
    await lab.hasPhase(run, 'Succeeded');
  });

  it('makes one run for each time that is backfilled, and another one for a time that has one', async () => {
    const flow = await scheduled('backfilled', 'ALLOW_ALL', { schedule: { cron: '0 * 1 1 *', overlap: 'ALLOW_ALL' } });
    const [start, end] = [new Date('2026-01-01T00:30:00Z'), new Date('2026-01-01T03:30:00Z')];
    const backfill = () => flow.schedule.backfill({ start, end, overlap: ScheduleOverlapPolicy.ALLOW_ALL });
    const held = (count: number): Promise<readonly Resource[]> =>
      eventually(`${count} runs`, async () => {
        const runs = await flow.runs();
        return runs.length >= count && runs.every((run) => lab.isHeld(run)) ? runs : undefined;
      });
    const namesOf = (runs: readonly Resource[]): string[] => runs.map(({ metadata }) => metadata.name.replace('backfilled-', ''));
    const times = ['20260101010000', '20260101020000', '20260101030000'];
    await backfill();
    const first = await held(3);
    expect(namesOf(first)).toEqual(times);
    for (const run of first) lab.free(run);
    for (const started of await flow.starts()) expect(await started.result()).toMatchObject({ phase: 'Succeeded' });
    await backfill();
    const all = await held(6);
    expect(namesOf(all)).toEqual(times.flatMap((time) => [time, `${time}-2`]));
    for (const run of all) lab.free(run);
  });

  it('replaces a run that goes on, after that has said good-bye', async () => {
    const flow = await scheduled('replacing', 'CANCEL_OTHER');
    await flow.schedule.trigger(ScheduleOverlapPolicy.CANCEL_OTHER);
    const first = await flow.run(1);
    await nextSecond();
    await flow.schedule.trigger(ScheduleOverlapPolicy.CANCEL_OTHER);
    const second = await flow.run(2);
    await lab.hasPhase(first, 'Cancelled');
    expect(told(first)).toEqual(['Cancelled']);
    expect((await (await flow.start(1)).describe()).status.name).toBe('CANCELLED');
    lab.free(second);
    await lab.hasPhase(second, 'Succeeded');
  });

  it('by TERMINATE_OTHER ends a run that goes on without a word', async () => {
    const flow = await scheduled('ending', 'TERMINATE_OTHER');
    await flow.schedule.trigger(ScheduleOverlapPolicy.TERMINATE_OTHER);
    const first = await flow.run(1);
    await eventually('it is in the index', async () => (await flow.runs()).some(({ status }) => status?.phase === 'Running') || undefined);
    await nextSecond();
    await flow.schedule.trigger(ScheduleOverlapPolicy.TERMINATE_OTHER);
    const second = await flow.run(2);
    await lab.hasPhase(first, 'Terminated');
    expect(told(first)).toEqual([]);
    lab.free(second);
    await lab.hasPhase(second, 'Succeeded');
  });

  it('makes none by itself while it is suspended, and does afterwards', async () => {
    const everyMinute = { schedule: { cron: '* * * * *' } };
    const resting = await scheduled('resting', 'SKIP', { ...everyMinute, suspend: true });
    const woken = await scheduled('woken', 'SKIP', { ...everyMinute, suspend: true });
    await woken.apply({ ...everyMinute, suspend: false });
    lab.free(await woken.run(1));
    const minute = stampOf(await woken.start(1));
    // That was a minute of the other one, too: when this later start is there, all that the minute has brought is there.
    await nextSecond();
    await resting.schedule.trigger();
    await eventually('the later start', async () => (await resting.starts()).some((start) => stampOf(start) > minute) || undefined);
    expect((await resting.describe()).info).toMatchObject({ numActionsTaken: 1, numActionsSkippedOverlap: 0 });
    lab.free(await resting.run(1));
    await woken.apply({});
  });

  it.each([
    { overlap: 'SKIP', outcomes: ['Started', 'Skipped', 'Skipped'], runs: 1 },
    { overlap: 'BUFFER_ONE', outcomes: ['Started', 'Waiting', 'Skipped'], runs: 1 },
    { overlap: 'ALLOW_ALL', outcomes: ['Started', 'Started', 'Started'], runs: 3 },
  ])('is triggered by the rule of its schedule, and that says what came of it: $overlap', async ({ overlap, outcomes, runs }) => {
    const flow = await scheduled(`ruled-${overlap.toLowerCase().replace('_', '-')}`, overlap);
    const said: unknown[] = [];
    for (const _ of outcomes) {
      await nextSecond();
      said.push(await lab.colony.schedule(flow.name).trigger());
    }
    expect(said).toEqual(outcomes);
    await flow.run(runs);
    expect((await flow.describe()).info).toMatchObject({
      numActionsTaken: runs,
      numActionsSkippedOverlap: outcomes.filter((one) => one === 'Skipped').length,
    });
    expect(await flow.runs()).toHaveLength(runs);
    for (const run of await flow.runs()) lab.free(run);
  });

  it('leaves neither schedule nor runs behind', async () => {
    const flow = await scheduled('leaving', 'ALLOW_ALL');
    await flow.schedule.trigger(ScheduleOverlapPolicy.ALLOW_ALL);
    const run = await flow.run(1);
    await lab.workflows.delete('leaving', { timeoutMs: 40_000 });
    await expect(flow.describe()).rejects.toBeInstanceOf(ScheduleNotFoundError);
    await eventually('no run is there', async () => (await flow.runs()).length === 0 || undefined);
    await expect(lab.runs.get(run.metadata.name)).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe.concurrent('a start of the schedule', () => {
  it('makes one run named by its time, ends with it, and writes nothing while it waits', async () => {
    const flow = await scheduled('waiting', 'SKIP');
    await flow.schedule.trigger();
    const [started, run] = await Promise.all([flow.start(1), flow.run(1)]);
    expect(run.metadata.name).toBe(`waiting-${stampOf(started)}`);
    const { uid } = (await lab.workflows.get('waiting')).metadata;
    expect(run.metadata.ownerReferences).toMatchObject([{ kind: 'Workflow', name: 'waiting', uid, controller: true }]);
    const looks = async (): Promise<number> => Number((await started.describe()).raw.pendingActivities?.[0]?.attempt ?? 0);
    await eventually('it waits', async () => (await looks()) >= 2 || undefined);
    const { historyLength } = await started.describe();
    await eventually('it has looked again', async () => (await looks()) >= 4 || undefined);
    expect((await started.describe()).historyLength).toBe(historyLength);
    expect(historyLength).toBeLessThan(15);
    lab.free(run);
    expect(await started.result()).toEqual({ run: runIdOf(run), phase: 'Succeeded' });
    expect(await flow.runs()).toHaveLength(1);
  });

  it.each([
    ['the Workflow is gone', 'gone'],
    ['another one has its name', 'followed'],
  ])('ends at once when %s, and takes the schedule away', async (_, name) => {
    const flow = await scheduled(name, 'SKIP');
    await flow.handle.terminate();
    // One that wishes no schedule leaves the earlier one's where it is.
    if (name === 'followed') await flow.apply({});
    await flow.schedule.trigger();
    const started = await eventually('the start', () => startIn(lab, `scheduled/default/${name}-`));
    expect(await started.result()).toEqual({ phase: 'Gone' });
    await expect(flow.describe()).rejects.toBeInstanceOf(ScheduleNotFoundError);
    expect(await flow.runs()).toEqual([]);
  });

  it('ends when its run is gone', async () => {
    const flow = await scheduled('orphaned', 'SKIP');
    await flow.schedule.trigger();
    const run = await flow.run(1);
    await lab.client.workflow.getHandle(runIdOf(run)).terminate();
    expect(await (await flow.start(1)).result()).toEqual({ run: runIdOf(run), phase: 'Gone' });
  });
});

it('a start goes on with another worker when its own is gone', async () => {
  const flow = await scheduled('bereft', 'SKIP');
  await flow.schedule.trigger();
  const [started, run] = await Promise.all([flow.start(1), flow.run(1)]);
  await lab.replaceWorker({});
  lab.free(run);
  expect(await started.result()).toEqual({ run: runIdOf(run), phase: 'Succeeded' });
  expect(await flow.runs()).toHaveLength(1);
});

it.each(['createRun:before:1', 'createRun:after:1', 'awaitRun:after:1'])(
  'kill -9 of the worker at %s: one start is one run',
  async (point) => {
    const name = `killed-${point.toLowerCase().replaceAll(':', '-')}`;
    const flow = await scheduled(name, 'SKIP');
    await lab.replaceWorker({ COLONY_FAILPOINT: point });
    await flow.schedule.trigger(ScheduleOverlapPolicy.SKIP);
    const run = await flow.run(1);
    lab.free(run);
    await lab.hasPhase(run, 'Succeeded');
    expect(await (await flow.start(1)).result()).toMatchObject({ phase: 'Succeeded' });
    expect(lab.worker.deaths).toBe(1);
    expect(await flow.runs()).toHaveLength(1);
    expect(lab.calls.filter(({ name: what, call }) => what === 'hold' && call.run === run.metadata.name)).toHaveLength(1);
  },
  90_000,
);

it('every start of a schedule that there was can be replayed', async () => {
  const { Worker } = await import('@temporalio/worker');
  const histories: { readonly workflowId: string; readonly history: History }[] = [];
  for await (const { workflowId, runId } of lab.client.workflow.list({ query: `WorkflowType = 'scheduledRun'` })) {
    histories.push({ workflowId, history: await lab.client.workflow.getHandle(workflowId, runId).fetchHistory() });
  }
  const failures: string[] = [];
  for await (const { error } of Worker.runReplayHistories(workflowCode(), histories)) if (error) failures.push(error.message);
  expect(failures).toEqual([]);
  expect(histories.length).toBeGreaterThan(6);
});
