import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endProcess } from '../../activities/runtimes/local/process-identity.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { type RunningServer, startServer } from '../../src/embedded/start-server.ts';
import { historiesOf, troubles } from '../stress/histories.ts';
import { temporalBinary } from '../support/temporal.ts';
import { eventually, pause, Supervised } from './processes.ts';

const WRITERS = 8;
const KILLS = 3;
const BETWEEN_KILLS_MS = 4_000;
const WRITES = 20;
const WORKFLOW_ID = 'requeststates.com.redhat.ecosystem.sample/default/contended';
const COUNTERS = 'counters.example.com/default/contended';

let folder: string;
let port: number;
let server: RunningServer;
let worker: Supervised;
let client: Client;

const start = (): Promise<RunningServer> => startServer({ binary: temporalBinary(), database: join(folder, 'temporal.db'), port });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colony-killed-'));
  port = await freePort();
  server = await start();
  worker = new Supervised('dist/worker.mjs', {
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: 'default',
    COLONY_LOG_LEVEL: 'silent',
    COLONY_ROLLOVER_EVENTS: '400',
  });
  await worker.start();
  client = new Client({ connection: await Connection.connect({ address: server.address }) });
  await apply('ResourceDefinition', 'resourcedefinitions.colonies.io/-/counters.example.com', {
    apiVersion: 'colonies.io/v1',
    kind: 'ResourceDefinition',
    metadata: { name: 'counters.example.com' },
    spec: { group: 'example.com', version: 'v1', names: { kind: 'Counter', plural: 'counters' }, scope: 'Namespaced', handler: null },
  });
});

afterAll(async () => {
  await worker.stop();
  await client.connection.close();
  await endProcess(server.identity, 0);
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly operation: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly uid: string;
}

/** Asks again with the same request id until it is answered: yes, or the type of the refusal. */
async function apply(type: string, workflowId: string, body: Record<string, unknown>): Promise<Answer | string> {
  return eventually(
    `an answer for ${JSON.stringify(body)}`,
    async () => {
      const startWorkflowOperation = new WithStartWorkflowOperation(type, {
        workflowId,
        taskQueue: 'colony',
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout: '5s',
        args: [],
      });
      try {
        return (await client.workflow.executeUpdateWithStart('apply', { args: [body], startWorkflowOperation })) as Answer;
      } catch (error) {
        const { cause } = error as { cause?: unknown };
        if (cause instanceof ApplicationFailure && cause.type === 'Conflict') return 'Conflict';
        throw error;
      }
    },
    90_000,
  );
}

async function read(): Promise<{ value: number; resourceVersion: string; uid: string; generation: number }> {
  return eventually(
    'the counter can be read',
    async () => {
      const { spec, metadata } = (await client.workflow.getHandle(COUNTERS).query('resource')) as {
        spec: { value: number };
        metadata: { resourceVersion: string; uid: string; generation: number };
      };
      return { value: spec.value, ...metadata };
    },
    60_000,
  );
}

it('eight writers with version checks lose no acknowledged write while Temporal and the worker are killed', async () => {
  await apply('Counter', COUNTERS, { apiVersion: 'example.com/v1', kind: 'Counter', spec: { value: 0 } });
  let isOver = false;
  let conflicts = 0;
  const acknowledged: { value: number; generation: number; resourceVersion: string }[] = [];
  const writer = async (id: number): Promise<void> => {
    // However slow everything is: until all kills are done, enough was written, and they got into each other's way.
    for (let n = 0; !isOver || acknowledged.length <= WRITES || conflicts === 0; n++) {
      const seen = await read();
      const value = seen.value + 1;
      const answer = await apply('Counter', COUNTERS, {
        requestId: `w${id}-${n}`,
        metadata: { resourceVersion: seen.resourceVersion },
        spec: { value },
      });
      if (typeof answer === 'string') conflicts += 1;
      else acknowledged.push({ value, generation: answer.generation, resourceVersion: answer.resourceVersion });
    }
  };
  const killer = async (): Promise<void> => {
    for (let i = 0; i < KILLS; i++) {
      await pause(BETWEEN_KILLS_MS);
      if (i === 1) worker.kill();
      await endProcess(server.identity, 0);
      server = await start();
    }
    isOver = true;
  };
  await Promise.all([killer(), ...Array.from({ length: WRITERS }, (_, id) => writer(id))]);
  const final = await read();
  const values = acknowledged.map(({ value }) => value).sort((a, b) => a - b);
  expect(new Set(acknowledged.map(({ resourceVersion }) => resourceVersion)).size, 'every write has its own version').toBe(
    acknowledged.length,
  );
  expect(values, 'each value was written by exactly one acknowledged write').toEqual(
    Array.from({ length: values.length }, (_, index) => index + 1),
  );
  expect(final.value, 'nothing acknowledged is missing and nothing was applied twice').toBe(values.length);
  expect(final.generation).toBe(values.length + 1);
  const runs = await historiesOf(client, COUNTERS, final.uid);
  expect(runs.flatMap(({ history }) => troubles(history))).toEqual([]);
});

it('a resource that was at rest is still there, with its history, after Temporal was killed', async () => {
  const body = { spec: { 'request-uid': 'r', job: 'JOB1', state: 'REQUESTED' }, requestId: 'first' };
  await apply('RequestState', WORKFLOW_ID, body);
  await endProcess(server.identity, 0);
  server = await start();
  const again = await apply('RequestState', WORKFLOW_ID, { spec: { ...body.spec, state: 'STARTED' }, requestId: 'second' });
  expect(again).toMatchObject({ operation: 'configured', generation: 2 });
  const status = (await client.workflow.getHandle(WORKFLOW_ID).query('status')) as { history: { state: string }[] };
  expect(status.history.map(({ state }) => state)).toEqual(['REQUESTED', 'STARTED']);
});
