import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ColonyClient, Resources } from '../../src/client/api.ts';
import { connect } from '../../src/client/connect.ts';
import { type RunningExecutor, runExecutor } from '../../src/executor/run.ts';
import { describeSchedule } from '../support/describe-schedule.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress } from '../support/temporal.ts';

const SOON_MS = 60_000;

let worker: TestWorker;
let temporal: Client;
let colony: ColonyClient;
let executors: RunningExecutor[];
let runs: Resources;
let web: Server;
let url: string;

/** What the executor was asked to do, in order; the test's own record, not the product's. */
const calls: { readonly run: string; readonly step: string; readonly kwargs: Record<string, unknown>; readonly key: string }[] = [];
const requests: { readonly method: string; readonly path: string; readonly key: string | undefined }[] = [];
const failures = new Map<string, number>();
/** Answers that wait for the test. */
const slow: (() => void)[] = [];

interface Call {
  readonly run: string;
  readonly step: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly args: readonly unknown[];
  readonly kwargs: Record<string, unknown>;
}

const note = ({ run, step, kwargs, idempotencyKey }: Call) => calls.push({ run, step, kwargs, key: idempotencyKey });

const steps = {
  echo: async (call: Call) => {
    note(call);
    return { ...call.kwargs };
  },
  long: async (call: Call) => {
    note(call);
    return { text: 'x'.repeat(Number(call.kwargs.chars)) };
  },
  /** Fails as often as it is told, by run and step. */
  fail: async (call: Call) => {
    note(call);
    const left = failures.get(`${call.run}/${call.step}`) ?? Number(call.kwargs.times ?? 1);
    failures.set(`${call.run}/${call.step}`, left - 1);
    if (left > 0) throw new Error('as it was told');
    return {};
  },
};
/** A pipeline of the document's shape, with values of our own: each of its steps is for executors of another type. */
const pipeline = JSON.parse(readFileSync('test/fixtures/seeds/instances/daily-data-pipeline.json', 'utf8')) as {
  readonly spec: {
    readonly steps: readonly {
      readonly name: string;
      readonly functionSpec: {
        readonly funcName: string;
        readonly conditions: { readonly executorType: string };
        readonly kwargs: Record<string, unknown>;
      };
    }[];
  };
};
const specialists = pipeline.spec.steps.map(({ functionSpec: { funcName, conditions } }) => ({
  executorType: conditions.executorType,
  steps: { [funcName]: steps.echo } as never,
}));

beforeAll(async () => {
  const namespace = leaseNamespace();
  worker = await startWorker(namespace, { config: { firstRetryMs: 100, scheduleToStartMs: 1_000 } });
  const at = { address: temporalAddress(), temporalNamespace: namespace };
  temporal = await connectClient(namespace);
  colony = await connect(at);
  executors = await Promise.all([
    runExecutor({ executorType: 'hands', steps: steps as never }, at),
    ...specialists.map((executor) => runExecutor(executor, at)),
  ]);
  runs = colony.resources('automation.colonies.io/v1', 'WorkflowRun');
  web = createServer((request, response) => {
    requests.push({ method: request.method ?? '', path: request.url ?? '', key: request.headers['idempotency-key'] as string });
    const answer = () =>
      response.writeHead(request.url === '/broken' ? 500 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ answer: 42 }));
    if (request.url === '/slow') slow.push(answer);
    else answer();
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
});

afterAll(async () => {
  for (const executor of executors) executor.stop();
  await Promise.all(executors.map(({ done }) => done));
  await new Promise((resolve) => web.close(resolve));
  await colony.close();
  await temporal.connection.close();
  await worker.stop();
});

const call = (name: string, funcName: string, more: object = {}, kwargs: object = {}) => ({
  name,
  functionSpec: { funcName, conditions: { executorType: 'hands' }, kwargs },
  ...more,
});
const echo = (name: string, kwargs: object = {}, more: object = {}) => call(name, 'echo', more, kwargs);
const fail = (name: string, times: number, more: object = {}) => call(name, 'fail', more, { times });

const start = (name: string, spec: object) => runs.apply({ metadata: { name }, spec: spec as never });
const callsOf = (run: string): string[] => calls.filter((one) => one.run === run).map(({ step }) => step);

interface RunStatus {
  readonly phase: string;
  readonly progress: string;
  readonly message?: string;
  readonly notifications?: readonly { readonly to: string; readonly phase: string }[];
  readonly steps: Record<
    string,
    { phase: string; reason?: string; message?: string; attempts?: number; outputs?: Record<string, unknown> }
  >;
  readonly outputs?: Record<string, unknown>;
}

const statusOf = async (name: string): Promise<RunStatus> => (await runs.get(name)).status as unknown as RunStatus;
const phaseOf = async (name: string, step: string): Promise<string | undefined> => (await statusOf(name)).steps?.[step]?.phase;

async function ends(name: string, phase: string): Promise<RunStatus> {
  await runs.waitFor(name, 'Completed', { timeoutMs: SOON_MS });
  const status = await statusOf(name);
  expect(status.phase, JSON.stringify(status)).toBe(phase);
  return status;
}

describe('a run', () => {
  it.concurrent('of the pipeline in the shape of the document goes through its five steps in order, and its Workflow keeps the record', async () => {
    await colony.apply(pipeline as never);
    const workflows = colony.resources('automation.colonies.io/v1', 'Workflow');
    const there = { name: 'daily-data-pipeline', namespace: 'data' };
    await workflows.waitFor(there, 'Ready', { timeoutMs: SOON_MS });
    const run = await colony.run('workflow/daily-data-pipeline', { namespace: 'data' });
    const ended = await run.wait({ timeoutMs: SOON_MS });
    expect(ended.status).toMatchObject({ phase: 'Succeeded', progress: '5/5' });
    expect(callsOf(run.name)).toEqual(['extract', 'clean', 'train', 'test', 'publish']);
    const given = calls.filter((one) => one.run === run.name).map(({ kwargs }) => kwargs);
    expect(given).toEqual(pipeline.spec.steps.map(({ functionSpec }) => functionSpec.kwargs));
    expect(new Set(specialists.map(({ executorType }) => executorType)).size).toBe(5);
    const endOf = (history: unknown) => (history as readonly { readonly status?: string }[] | undefined)?.[0]?.status;
    await until(async () => endOf((await workflows.get(there)).status?.history) === 'Succeeded');
    const { status } = await workflows.get(there);
    expect(status).toMatchObject({ completedSteps: 5, totalSteps: 5, history: [{ runId: run.name, status: 'Succeeded' }] });
    expect(String(status?.nextRun)).toMatch(/T01:00:00/);
    const scheduleId = 'workflows.automation.colonies.io/data/daily-data-pipeline';
    expect((await describeSchedule(temporal, scheduleId)).state.paused).toBe(false);
    await workflows.delete(there, { propagation: 'Foreground' });
    await expect(describeSchedule(temporal, scheduleId)).rejects.toBeInstanceOf(ScheduleNotFoundError);
    expect(await runs.get({ name: run.name, namespace: 'data' }).catch(() => 'gone')).toBe('gone');
  });

  it.concurrent('hands outputs on, loops, nests, skips and chooses', async () => {
    await start('forms', {
      params: { limit: 2 },
      steps: [
        echo('list', { items: ['a', 'b', 'c'] }),
        { ...echo('each', { item: '${item}' }, { dependsOn: ['list'] }), withParam: '${steps.list.outputs.items}', parallelism: 2 },
        { name: 'group', dependsOn: ['each'], steps: [echo('one', { n: 1 }), echo('two', { n: '${steps.one.outputs.n + 1}' })] },
        echo('never', {}, { when: 'params.limit > 5' }),
        echo('either', {}, { depends: 'never.Skipped && group.Succeeded' }),
        { name: 'ask', http: { url: `${url}/ask`, method: 'GET' } },
        echo('count', { n: '${steps.ask.outputs.body.answer + params.limit}' }),
      ],
      outputs: { n: '${steps.count.outputs.n}' },
    });
    const status = await ends('forms', 'Succeeded');
    expect(status.steps).toMatchObject({
      never: { phase: 'Skipped' },
      either: { phase: 'Succeeded' },
      'group.two': { phase: 'Succeeded', outputs: { n: 2 } },
      'each[2]': { phase: 'Succeeded', outputs: { item: 'c' } },
    });
    expect(status.outputs).toEqual({ n: 44 });
    expect(requests.filter(({ path }) => path === '/ask')).toHaveLength(1);
    expect(requests.find(({ path }) => path === '/ask')?.key).toContain('/ask');
  });

  it.concurrent('tries again as often as it may, says so, and every try has the same key', async () => {
    await start('tries', { steps: [fail('flaky', 2, { retry: { maxAttempts: 3, backoff: '50ms' } })] });
    expect((await ends('tries', 'Succeeded')).steps.flaky).toMatchObject({ phase: 'Succeeded', attempts: 3 });
    const keys = calls.filter(({ run }) => run === 'tries').map(({ key }) => key);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it.concurrent('whose answers are too much together fails at the one that is too many, says so, and does not do that again', async () => {
    const pages = (turns: number) =>
      call('page', 'long', { withSequence: { count: turns }, parallelism: 1, retry: { maxAttempts: 3 } }, { chars: 30_000 });
    await start('pages', { steps: [pages(34)] });
    await ends('pages', 'Succeeded');
    await start('book', { steps: [pages(40)] });
    const { message, steps: told } = await ends('book', 'Failed');
    expect(message).toMatch(
      /the answer has 30\d{3} bytes and the other answers that are kept have \d+, together at most 1048576 are allowed/,
    );
    expect(Object.values(told).filter(({ reason }) => reason === 'ResultTooLarge')).toHaveLength(1);
    expect(callsOf('book')).toHaveLength(35);
    await runs.delete('book');
  });

  it.concurrent('that failed undoes in reverse, does what is to be done at the end once, and says why', async () => {
    const undo = (name: string) => ({
      compensate: { functionSpec: { funcName: 'echo', conditions: { executorType: 'hands' }, kwargs: { undo: name } } },
    });
    await start('undone', {
      steps: [
        echo('first', {}, undo('first')),
        echo('second', {}, { dependsOn: ['first'], ...undo('second') }),
        fail('third', 9, { dependsOn: ['second'] }),
        echo('after', {}, { dependsOn: ['third'] }),
      ],
      onExit: echo('bye', { status: '${run.status}' }),
    });
    const status = await ends('undone', 'Failed');
    expect(status.steps.third?.message).toContain('as it was told');
    expect(status.steps.after?.phase).toMatch(/Omitted|Skipped/);
    expect(callsOf('undone')).toEqual(['first', 'second', 'third', 'undo.second', 'undo.first', 'exit.bye']);
    expect(calls.find(({ run, step }) => run === 'undone' && step === 'exit.bye')?.kwargs).toEqual({ status: 'Failed' });
  });

  it.concurrent('begins only its failed part again, in the same run', async () => {
    await start('again', { steps: [echo('good'), fail('bad', 1, { dependsOn: ['good'] }), echo('last', {}, { dependsOn: ['bad'] })] });
    await ends('again', 'Failed');
    const { uid } = (await runs.get('again')).metadata;
    await runs.command('again', 'retry');
    await until(async () => (await statusOf('again')).phase === 'Succeeded');
    expect((await runs.get('again')).metadata.uid).toBe(uid);
    expect(callsOf('again')).toEqual(['good', 'bad', 'bad', 'last']);
  });

  it.concurrent('waits for an approval without events, takes its values, and can be cancelled while it waits', async () => {
    const spec = {
      steps: [
        { name: 'gate', suspend: { message: 'Go on?' } },
        echo('then', { who: '${steps.gate.outputs.who}' }, { dependsOn: ['gate'] }),
      ],
      onExit: echo('bye'),
    };
    await Promise.all([start('approved', spec), start('refused', spec)]);
    for (const name of ['approved', 'refused']) await until(async () => (await phaseOf(name, 'gate')) === 'Suspended');
    const length = () => temporal.workflow.getHandle('workflowruns.automation.colonies.io/default/approved').describe();
    const { historyLength } = await length();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await length()).historyLength).toBe(historyLength);
    await runs.command('approved', 'approve', { step: 'gate', values: { who: 'me' } });
    expect((await ends('approved', 'Succeeded')).steps.then?.outputs).toEqual({ who: 'me' });
    await runs.command('refused', 'cancel');
    await ends('refused', 'Cancelled');
    expect(callsOf('refused')).toEqual(['exit.bye']);
  });

  it.concurrent('can be edited while it lives: what has not started changes, what has started stays', async () => {
    const gate = { name: 'gate', suspend: {} };
    await start('edited', {
      params: { word: 'old' },
      steps: [echo('done'), gate, echo('later', { word: '${params.word}' }, { dependsOn: ['gate'] })],
    });
    await until(async () => (await phaseOf('edited', 'gate')) === 'Suspended' && (await phaseOf('edited', 'done')) === 'Succeeded');
    const changed = {
      params: { word: 'new' },
      steps: [echo('done'), gate, echo('later', { word: '${params.word}' }, { dependsOn: ['gate'] })],
    };
    await start('edited', { ...changed, steps: [...changed.steps, echo('added', {}, { dependsOn: ['later'] })] });
    const refused = start('edited', { ...changed, steps: [echo('done', { other: 1 }), ...changed.steps.slice(1)] });
    await expect(refused).rejects.toThrow(/spec\.steps\[0\]/);
    await runs.command('edited', 'approve', { step: 'gate' });
    const status = await ends('edited', 'Succeeded');
    expect(status.steps.later?.outputs).toEqual({ word: 'new' });
    expect(status.steps.added?.phase).toBe('Succeeded');
    expect(callsOf('edited')).toEqual(['done', 'later', 'added']);
  });

  it.concurrent('can be paused, skip a step, and be ended at once', async () => {
    await start('steered', {
      suspend: true,
      steps: [echo('one'), fail('two', 9, { dependsOn: ['one'] }), echo('three', {}, { dependsOn: ['one', 'two'] })],
    });
    await until(async () => (await statusOf('steered')).phase === 'Paused');
    await runs.command('steered', 'skip', { step: 'two' });
    expect(callsOf('steered')).toEqual([]);
    await runs.command('steered', 'resume');
    expect((await ends('steered', 'Succeeded')).steps.two?.phase).toBe('Skipped');
    expect(callsOf('steered')).toEqual(['one', 'three']);
    await start('stopped', { steps: [{ name: 'gate', suspend: {} }], onExit: echo('bye') });
    await until(async () => (await phaseOf('stopped', 'gate')) === 'Suspended');
    await runs.command('stopped', 'terminate');
    await ends('stopped', 'Terminated');
    expect(callsOf('stopped')).toEqual([]);
  });

  it.concurrent('says which function nobody knows, and goes on by itself when somebody does', async () => {
    await start('unknown', { steps: [call('odd', 'unheard_of')] });
    await until(async () => (await statusOf('unknown')).steps?.odd?.reason === 'FunctionUnknown');
    expect((await statusOf('unknown')).steps.odd?.message).toContain('unheard_of');
    await runs.command('unknown', 'cancel');
    await ends('unknown', 'Cancelled');
  });

  it.concurrent('says that nobody serves a queue, and goes on by itself when somebody comes', async () => {
    const step = { name: 'late', functionSpec: { funcName: 'echo', conditions: { executorType: 'latecomers' } } };
    await start('nobody', { steps: [step] });
    await until(async () => (await statusOf('nobody')).steps?.late?.reason === 'ExecutorUnavailable');
    const late = await runExecutor(
      { executorType: 'latecomers', steps: steps as never },
      { address: temporalAddress(), temporalNamespace: temporal.options.namespace },
    );
    await ends('nobody', 'Succeeded');
    late.stop();
    await late.done;
  });

  it.concurrent('tells of its failure also when it is begun again meanwhile', async () => {
    await start('told', { steps: [fail('bad', 1)], onFailure: { notify: [`${url}/slow`] } });
    await ends('told', 'Failed');
    await until(async () => slow.length === 1);
    await runs.command('told', 'retry');
    await until(async () => (await statusOf('told')).phase === 'Succeeded');
    expect((await statusOf('told')).notifications).toEqual([{ to: `${url}/slow`, phase: 'Sending' }]);
    slow[0]?.();
    await until(async () => (await statusOf('told')).notifications?.[0]?.phase === 'Sent');
    expect(requests.filter(({ path }) => path === '/slow')).toHaveLength(1);
  });

  it.concurrent('makes a resource anew that has failed, under its name, when the old one is gone', async () => {
    const inner = { name: 'anew-inner' };
    const manifest = { kind: 'WorkflowRun', metadata: inner, spec: { steps: [fail('flaky', 2)] } };
    await start('anew', { steps: [{ name: 'make', resource: { manifest }, retry: { maxAttempts: 2, backoff: '50ms' } }] });
    const { steps: first } = await ends('anew', 'Failed');
    expect(first.make).toMatchObject({ phase: 'Failed', reason: 'ResourceFailed', attempts: 2 });
    const second = await runs.get(inner.name);
    expect(callsOf(inner.name), 'one of each try').toEqual(['flaky', 'flaky']);
    await runs.command('anew', 'retry');
    await until(async () => (await statusOf('anew')).phase === 'Succeeded');
    expect((await statusOf('anew')).steps.make).toMatchObject({ phase: 'Succeeded', attempts: 3 });
    const third = await runs.get(inner.name);
    expect(third.metadata.uid).not.toBe(second.metadata.uid);
    expect(third.status?.phase).toBe('Succeeded');
    await runs.delete('anew');
    await until(async () => !(await runs.list()).some(({ metadata }) => metadata.name === inner.name));
  });

  it.concurrent('makes a resource, waits until it is ready, hands on what it says, and lets it go with itself', async () => {
    await colony.apply({
      apiVersion: 'colonies.io/v1',
      kind: 'ResourceDefinition',
      metadata: { name: 'notes.flows.example.com' },
      spec: { group: 'flows.example.com', version: 'v1', names: { kind: 'Note', plural: 'notes' }, scope: 'Namespaced', handler: null },
    });
    const manifest = {
      apiVersion: 'flows.example.com/v1',
      kind: 'Note',
      metadata: { name: 'made-note' },
      spec: { text: '${params.text}' },
    };
    await start('maker', {
      params: { text: 'hello' },
      steps: [
        { name: 'make', resource: { manifest, outputs: { phase: 'status.phase' } } },
        echo('then', { was: '${steps.make.outputs.phase}' }),
      ],
    });
    expect((await ends('maker', 'Succeeded')).steps.then?.outputs).toEqual({ was: 'Ready' });
    const notes = colony.resources('flows.example.com/v1', 'Note');
    expect((await notes.get('made-note')).spec).toEqual({ text: 'hello' });
    await runs.delete('maker', { propagation: 'Foreground' });
    expect(await notes.get('made-note').catch(() => 'gone')).toBe('gone');
  });

  it.concurrent('uses what an earlier run has found under the same key', async () => {
    const spec = {
      steps: [echo('slow', { n: 7 }, { cache: { key: 'slow-7', maxAge: '1h' } }), echo('next', { n: '${steps.slow.outputs.n}' })],
    };
    await start('cold', spec);
    await ends('cold', 'Succeeded');
    await start('warm', spec);
    expect((await ends('warm', 'Succeeded')).steps.next?.outputs).toEqual({ n: 7 });
    expect(callsOf('warm')).toEqual(['next']);
  });

  it.concurrent('deletes itself when its time is over', async () => {
    await start('short', { steps: [echo('one')], ttlSecondsAfterFinished: 1 });
    await until(async () => (await runs.get('short').catch(() => 'gone')) === 'gone');
    expect(callsOf('short')).toEqual(['one']);
  });

  it.concurrent('is refused at the door with the path of what is wrong', async () => {
    const refused = (spec: object) => start('bad', spec).then(String, (error: Error) => error.message);
    expect(await refused({ steps: [echo('a', {}, { dependsOn: ['b'] }), echo('b', {}, { dependsOn: ['a'] })] })).toMatch(/spec\.steps.*→/);
    expect(await refused({ steps: [echo('a', {}, { dependsOn: ['x'] })] })).toMatch(/spec\.steps\[0\]\.dependsOn/);
    expect(await refused({ steps: [echo('a'), echo('a')] })).toMatch(/spec\.steps\[1\]\.name/);
    expect(await refused({ steps: [echo('a', {}, { when: '1 +' })] })).toMatch(/spec\.steps\[0\]\.when/);
    expect(await refused({ steps: Array.from({ length: 1_001 }, (_, index) => echo(`s${index}`)) })).toMatch(/spec\.steps/);
    const schedule = colony.apply({
      apiVersion: 'automation.colonies.io/v1',
      kind: 'Workflow',
      metadata: { name: 'bad', namespace: 'default' },
      spec: { schedule: '61 * * * *', steps: [echo('a')] },
    });
    await expect(schedule).rejects.toThrow(/spec\.schedule/);
    expect(await runs.get('bad').catch(() => 'nothing stored')).toBe('nothing stored');
  });
});

/** expect.poll cannot be used in concurrent tests. */
async function until(look: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + SOON_MS;
  while (!(await look().catch(() => false))) {
    if (Date.now() > end) throw new Error(`did not happen within ${SOON_MS} ms: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
