import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../definitions/core/resource.ts';
import type { ColonyClient, Resources } from '../../src/client/api.ts';
import { connect } from '../../src/client/connect.ts';
import type { StepCall } from '../../src/executor/index.ts';
import { eventually } from '../faults/processes.ts';
import { Programs } from '../support/program.ts';
import { python } from '../support/python.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress } from '../support/temporal.ts';

const namespace = leaseNamespace();
const programs = new Programs(namespace);

let folder: string;
let worker: TestWorker;
let colony: ColonyClient;
let client: Client;
let runs: Resources;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colony-steps-'));
  worker = await startWorker(namespace, { config: { firstRetryMs: 100 } });
  colony = await connect({ address: temporalAddress(), temporalNamespace: namespace });
  client = await connectClient(namespace);
  runs = colony.resources('automation.colonies.io/v1', 'WorkflowRun');
});

afterAll(async () => {
  await programs.endAll();
  await colony?.close();
  await client?.connection.close();
  await worker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const typescript = { queue: 'steps-ts', start: () => programs.colony(['executor', file('ts')], env('steps-ts')) };
const other = { queue: 'steps-py', start: () => programs.start(python ?? '', [file('py')], env('steps-py')) };
const file = (extension: string): string => join(import.meta.dirname, '..', 'executors', `steps.${extension}`);
const env = (queue: string) => ({ QUEUE: queue, CALLS: join(folder, `${queue}.calls`), COLONY_SECRETS_DIR: join(folder, 'secrets') });

type Steps = Readonly<Record<string, { readonly phase: string; readonly reason?: string; readonly outputs?: JsonObject }>>;

async function stepsOf(name: string, until: (steps: Steps) => boolean): Promise<Steps> {
  return await eventually(`${name} is so`, async () => {
    const steps = ((await runs.get(name)).status?.steps ?? {}) as Steps;
    return until(steps) ? steps : undefined;
  });
}

const functionStep = (queue: string, name: string, funcName: string, more: JsonObject = {}, step: JsonObject = {}) => ({
  name,
  functionSpec: { funcName, conditions: { executorType: queue }, ...more },
  ...step,
});

describe('a step in TypeScript', () => contract(typescript));
describe.skipIf(!python)('a step in Python', () => contract(other));

/** What a function gets and gives, in whatever language. */
function contract({ queue, start }: typeof typescript): void {
  beforeAll(async () => {
    await start().says(/ready/);
  });

  it('gets one object, gives its outputs, and is tried again with the same key', async () => {
    const name = `${queue}-combined`;
    const retry = { maxAttempts: 3, backoff: { initial: '50ms' } };
    await runs.apply({
      metadata: { name },
      spec: {
        params: { region: 'north' },
        steps: [
          functionStep(
            queue,
            'first',
            'combine',
            { args: [1, 'two'], kwargs: { word: '${params.region}', failures: 1 }, label: 'mine' },
            { retry },
          ),
          functionStep(
            queue,
            'second',
            'combine',
            { args: ['${steps.first.outputs.text}'], kwargs: { word: 'after' } },
            { dependsOn: ['first'] },
          ),
        ],
      },
    });
    const steps = await stepsOf(name, ({ second }) => second?.phase === 'Succeeded');
    expect(steps.second?.outputs).toEqual({ text: 'after north 1+two', region: 'north' });
    const { uid } = (await runs.get(name)).metadata;
    const calls = readFileSync(env(queue).CALLS, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as StepCall);
    const common = { params: { region: 'north' }, run: name, namespace: 'default' };
    const first = {
      ...common,
      args: [1, 'two'],
      kwargs: { word: 'north', failures: 1 },
      step: 'first',
      label: 'mine',
      idempotencyKey: `${uid}/first`,
    };
    expect(calls).toMatchObject([
      { ...first, attempt: 1 },
      { ...first, attempt: 2 },
      { ...common, step: 'second', attempt: 1, idempotencyKey: `${uid}/second` },
    ]);
  });

  it('that nobody there knows is FunctionUnknown', async () => {
    const name = `${queue}-unknown`;
    await runs.apply({ metadata: { name }, spec: { steps: [functionStep(queue, 'only', 'no_such_function')] } });
    await stepsOf(name, ({ only }) => only?.reason === 'FunctionUnknown');
    await runs.delete(name);
  });
}

it.each([2, '${params.few}'])('a function that nobody takes within its maxwaittime of %s has failed then', async (maxwaittime) => {
  const name = `untaken-${typeof maxwaittime}`;
  const steps = [functionStep('nobody-serves-this', 'only', 'f', { maxwaittime })];
  await runs.apply({ metadata: { name }, spec: { params: { few: 2 }, steps } });
  const { only } = await stepsOf(name, ({ only }) => only?.phase === 'Failed');
  const message = 'nobody on task queue nobody-serves-this took the work within its maxwaittime of 2 s';
  expect(only).toMatchObject({ reason: 'ExecutorUnavailable', message });
  const { events } = await client.workflow.getHandle(`workflowruns.automation.colonies.io/default/${name}`).fetchHistory();
  const calls = events?.filter(({ activityTaskScheduledEventAttributes: call }) => call?.activityType?.name === 'f');
  expect(calls?.map(({ activityTaskScheduledEventAttributes: call }) => Number(call?.scheduleToStartTimeout?.seconds))).toEqual([2]);
});

it('a function keeps secrets that no history has, and others use them by their reference', async () => {
  const queue = typescript.queue;
  await runs.apply({
    metadata: { name: 'secretive' },
    spec: {
      steps: [
        functionStep(queue, 'keep', 'keep', { kwargs: { value: 'canary-of-a-step' } }),
        functionStep(queue, 'use', 'use', { kwargs: { token: '${steps.keep.outputs.token}' } }, { dependsOn: ['keep'] }),
      ],
    },
  });
  const steps = await stepsOf('secretive', ({ use }) => use?.phase === 'Succeeded');
  const id = 'workflowruns.automation.colonies.io/default/secretive';
  expect(steps.keep?.outputs).toEqual({ token: `\${secret:${id}#token}`, keys: ['token'] });
  expect(steps.use?.outputs).toEqual({ length: 16, isOwn: true });
  const history = Buffer.from(temporal.api.history.v1.History.encode(await client.workflow.getHandle(id).fetchHistory()).finish());
  expect(history.includes('canary-of-a-step')).toBe(true);
  expect(history.includes('CANARY-OF-A-STEP')).toBe(false);
});
