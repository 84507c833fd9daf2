import { join } from 'node:path';
import { ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Resource } from '../../definitions/core/resource.ts';
import type { ColonyClient, Resources } from '../../src/client/api.ts';
import { connect } from '../../src/client/connect.ts';
import { cloneRoot } from '../../src/config.ts';
import type { StepCall } from '../../src/executor/index.ts';
import { type RunningExecutor, runExecutor } from '../../src/executor/run.ts';
import { createLog, installRuntime } from '../../src/node/log.ts';
import { eventually, Supervised } from '../faults/processes.ts';
import type { History } from '../stress/histories.ts';
import { connectClient, leaseNamespace, temporalAddress } from '../support/temporal.ts';

const API = 'automation.colonies.io/v1';
const FAR = '0 3 1 1 *';

/** What steps of a test do and have done. */
const calls: { readonly name: string; readonly call: StepCall }[] = [];
const held = new Map<string, () => void>();

let namespace: string;
let client: Awaited<ReturnType<typeof connectClient>>;
let colony: ColonyClient;
let workflows: Resources;
let runs: Resources;
let executor: RunningExecutor;
let worker: Supervised;

const env = (): Record<string, string> => ({
  TEMPORAL_ADDRESS: temporalAddress(),
  TEMPORAL_NAMESPACE: namespace,
  COLONY_LOG_LEVEL: 'error',
  COLONY_FIRST_RETRY_MS: '200',
});

beforeAll(async () => {
  installRuntime(createLog('error', 'test'));
  namespace = leaseNamespace();
  const at = { address: temporalAddress(), temporalNamespace: namespace };
  worker = new Supervised('dist/worker.mjs', env());
  await worker.start();
  [client, colony] = await Promise.all([connectClient(namespace), connect(at)]);
  workflows = colony.resources(API, 'Workflow');
  runs = colony.resources(API, 'WorkflowRun');
  const hold = async (call: StepCall, { signal }: { readonly signal: AbortSignal }): Promise<unknown> => {
    calls.push({ name: 'hold', call });
    await new Promise<void>((free, stop) => {
      held.set(call.run, free);
      signal.addEventListener('abort', () => stop(signal.reason as Error));
    });
    return { held: true };
  };
  const tell = async (call: StepCall): Promise<unknown> => {
    calls.push({ name: 'tell', call });
    return {};
  };
  executor = await runExecutor({ executorType: 'holders', steps: { hold, tell } }, at);
});

afterAll(async () => {
  for (const free of held.values()) free();
  executor?.stop();
  await executor?.done;
  await colony?.close();
  await client?.connection.close();
  await worker?.stop();
});

const step = (name: string, funcName: string, kwargs: JsonObject = {}) => ({
  name,
  functionSpec: { funcName, conditions: { executorType: 'holders' }, kwargs },
});

async function scheduled(name: string, overlap: string, more: JsonObject = {}) {
  const spec = {
    schedule: { cron: FAR, overlap },
    steps: [step('load', 'hold')],
    onExit: [step('bye', 'tell', { status: '${run.status}' })],
    ...more,
  };
  await workflows.apply({ metadata: { name }, spec });
  await workflows.waitFor(name, 'Ready', { timeoutMs: 20_000 });
  return client.schedule.getHandle(`workflows.automation.colonies.io/default/${name}`);
}

const runsOf = async (name: string): Promise<readonly Resource[]> =>
  (await runs.list())
    .filter(({ metadata }) => metadata.name.startsWith(`${name}-`))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

const nth = (name: string, n: number): Promise<Resource> =>
  eventually(`run ${n} of ${name}`, async () => {
    const run = (await runsOf(name))[n - 1];
    return run && held.has(run.metadata.name) ? run : undefined;
  });

const phase = (run: Resource, wanted: string): Promise<true> =>
  eventually(
    `${run.metadata.name} is ${wanted}`,
    async () => (await runs.get(run.metadata.name)).status?.phase === wanted || undefined,
  ) as Promise<true>;

const told = (run: Resource): readonly unknown[] =>
  calls.filter(({ name, call }) => name === 'tell' && call.run === run.metadata.name).map(({ call }) => call.kwargs.status);

const nextSecond = (): Promise<void> => new Promise((wake) => setTimeout(wake, 1_050 - (Date.now() % 1_000)));

describe.concurrent('a Workflow with a schedule', () => {
  it('makes runs that do their steps, and knows of them', async () => {
    const schedule = await scheduled('plain', 'SKIP');
    await schedule.trigger(ScheduleOverlapPolicy.SKIP);
    const run = await nth('plain', 1);
    expect(run.metadata.name).toMatch(/^plain-\d{14}$/);
    expect(calls.find(({ call }) => call.run === run.metadata.name)?.call).toMatchObject({
      args: [],
      kwargs: {},
      workflow: 'plain',
      step: 'load',
      attempt: 1,
    });
    await nextSecond();
    await schedule.trigger(ScheduleOverlapPolicy.SKIP);
    await eventually('one was skipped', async () => (await schedule.describe()).info.numActionsSkippedOverlap === 1 || undefined);
    held.get(run.metadata.name)?.();
    await phase(run, 'Succeeded');
    await eventually('the Workflow has heard', async () => {
      const { history } = (await workflows.get('plain')).status as {
        readonly history?: readonly { readonly runId: string; readonly status: string }[];
      };
      return history?.some(({ runId, status }) => runId === run.metadata.name && status === 'Succeeded') || undefined;
    });
    expect(await runsOf('plain')).toHaveLength(1);
    expect(told(run)).toEqual(['Succeeded']);
  });

  it('makes runs also when it is too large for the index', async () => {
    const text = 'x'.repeat(40_000);
    const schedule = await scheduled('large', 'SKIP', { steps: [step('load', 'hold', { text })] });
    await schedule.trigger(ScheduleOverlapPolicy.SKIP);
    const run = await nth('large', 1);
    expect(calls.find(({ call }) => call.run === run.metadata.name)?.call.kwargs).toEqual({ text });
    held.get(run.metadata.name)?.();
    await phase(run, 'Succeeded');
  });

  it('replaces a run that goes on, after that has said good-bye', async () => {
    const schedule = await scheduled('replacing', 'CANCEL_OTHER');
    await schedule.trigger(ScheduleOverlapPolicy.CANCEL_OTHER);
    const first = await nth('replacing', 1);
    await nextSecond();
    await schedule.trigger(ScheduleOverlapPolicy.CANCEL_OTHER);
    const second = await nth('replacing', 2);
    await phase(first, 'Cancelled');
    expect(told(first)).toEqual(['Cancelled']);
    held.get(second.metadata.name)?.();
    await phase(second, 'Succeeded');
  });

  it('by TERMINATE_OTHER ends a run that goes on without a word', async () => {
    const schedule = await scheduled('ending', 'TERMINATE_OTHER');
    await schedule.trigger(ScheduleOverlapPolicy.TERMINATE_OTHER);
    const first = await nth('ending', 1);
    await eventually(
      'it is in the index',
      async () => (await runsOf('ending')).some(({ status }) => status?.phase === 'Running') || undefined,
    );
    await nextSecond();
    await schedule.trigger(ScheduleOverlapPolicy.TERMINATE_OTHER);
    const second = await nth('ending', 2);
    await phase(first, 'Terminated');
    expect(told(first)).toEqual([]);
    held.get(second.metadata.name)?.();
    await phase(second, 'Succeeded');
  });

  it('rests while it is suspended', async () => {
    const schedule = await scheduled('resting', 'SKIP', { suspend: true });
    expect((await schedule.describe()).state.paused).toBe(true);
    await scheduled('resting', 'SKIP', { suspend: false });
    await eventually('it goes on', async () => !(await schedule.describe()).state.paused || undefined);
  });

  it('leaves neither schedule nor runs behind', async () => {
    const schedule = await scheduled('leaving', 'ALLOW_ALL');
    await schedule.trigger(ScheduleOverlapPolicy.ALLOW_ALL);
    const run = await nth('leaving', 1);
    await workflows.delete('leaving', { timeoutMs: 40_000 });
    await expect(schedule.describe()).rejects.toBeInstanceOf(ScheduleNotFoundError);
    await eventually('no run is there', async () => (await runsOf('leaving')).length === 0 || undefined);
    await expect(runs.get(run.metadata.name)).rejects.toMatchObject({ code: 'NotFound' });
  });
});

it.each(['createRun:before:1', 'createRun:after:1', 'awaitRun:after:1'])(
  'kill -9 of the worker at %s: one start is one run',
  async (point) => {
    const name = `killed-${point.toLowerCase().replaceAll(':', '-')}`;
    const schedule = await scheduled(name, 'SKIP');
    await worker.stop();
    worker = new Supervised('dist/worker.mjs', env());
    await worker.start({ COLONY_FAILPOINT: point });
    await schedule.trigger(ScheduleOverlapPolicy.SKIP);
    const run = await nth(name, 1);
    held.get(run.metadata.name)?.();
    await phase(run, 'Succeeded');
    const [started] = (await schedule.describe()).info.recentActions;
    const result = await client.workflow.getHandle(started?.action.workflow.workflowId ?? '').result();
    expect(result).toMatchObject({ phase: 'Succeeded' });
    expect(worker.deaths).toBe(1);
    expect(await runsOf(name)).toHaveLength(1);
    expect(calls.filter(({ name: what, call }) => what === 'hold' && call.run === run.metadata.name)).toHaveLength(1);
  },
  90_000,
);

it('every start of a schedule that there was can be replayed', async () => {
  const { Worker } = await import('@temporalio/worker');
  const histories: { readonly workflowId: string; readonly history: History }[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query: `WorkflowType = 'scheduledRun'` })) {
    histories.push({ workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() });
  }
  const failures: string[] = [];
  const workflowBundle = { codePath: join(cloneRoot(), 'dist', 'workflow-bundle.js') };
  for await (const { error } of Worker.runReplayHistories({ workflowBundle }, histories)) if (error) failures.push(error.message);
  expect(failures).toEqual([]);
  expect(histories.length).toBeGreaterThan(6);
});
