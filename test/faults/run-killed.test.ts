import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endProcess } from '../../activities/runtimes/local/process-identity.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { type RunningServer, startServer } from '../../src/embedded/start-server.ts';
import { historiesOf, troubles } from '../stress/histories.ts';
import { temporalBinary } from '../support/temporal.ts';
import { eventually, pause, Supervised } from './processes.ts';

/** Who is killed at which step: before its effect, and when the effect is done and nobody knows it yet. */
const strikes = [
  ['worker', 'began'],
  ['worker', 'done'],
  ['executor', 'began'],
  ['executor', 'done'],
  ['server', 'began'],
  ['server', 'done'],
] as const;

const WORKFLOW_ID = 'workflowruns.automation.colonies.io/default/struck';

let folder: string;
let port: number;
let server: RunningServer;
let worker: Supervised;
let executor: Supervised;
let client: Client;

const start = (): Promise<RunningServer> => startServer({ binary: temporalBinary(), database: join(folder, 'temporal.db'), port });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colony-struck-'));
  port = await freePort();
  server = await start();
  const env = {
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: 'default',
    EFFECTS: folder,
    COLONY_LOG_LEVEL: 'silent',
    COLONY_FIRST_RETRY_MS: '200',
  };
  worker = new Supervised('dist/worker.mjs', env);
  executor = new Supervised('test/faults/step-executor.mjs', env);
  await Promise.all([worker.start(), executor.start()]);
  client = new Client({ connection: await Connection.connect({ address: server.address }) });
});

afterAll(async () => {
  await Promise.all([worker.stop(), executor.stop()]);
  await client.connection.close();
  await endProcess(server.identity, 0);
  rmSync(folder, { recursive: true, force: true });
});

const step = (name: string, dependsOn: readonly string[]) => ({
  name,
  dependsOn,
  heartbeat: '1s',
  functionSpec: { funcName: 'effect', conditions: { executorType: 'hands' } },
});

const kill = {
  worker: async () => worker.kill(),
  executor: async () => executor.kill(),
  server: async () => {
    await endProcess(server.identity, 0);
    server = await start();
  },
};

it('a run goes on whoever is killed at whichever step, and every effect is made once', async () => {
  const names = strikes.map(([who, when]) => `${who}-${when}`);
  const spec = { steps: names.map((name, index) => step(name, index === 0 ? [] : [names[index - 1] as string])), onExit: step('bye', []) };
  const { uid } = await eventually('the run is made', async () => {
    const startWorkflowOperation = new WithStartWorkflowOperation('WorkflowRun', {
      workflowId: WORKFLOW_ID,
      taskQueue: 'colony',
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [],
    });
    return (await client.workflow.executeUpdateWithStart('apply', {
      args: [{ requestId: 'once', spec }],
      startWorkflowOperation,
    })) as { uid: string };
  });
  for (const [who, when] of strikes) {
    while (!existsSync(join(folder, `${when}-${who}-${when}`))) await pause(10);
    await kill[who]();
  }
  const { memo } = await eventually(
    'the run has succeeded',
    async () => {
      const described = await client.workflow.getHandle(WORKFLOW_ID).describe();
      return (described.memo?.status as { phase?: string } | undefined)?.phase === 'Succeeded' ? described : undefined;
    },
    60_000,
  );
  expect(memo?.status).toMatchObject({ progress: '6/6' });
  expect(readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')).toEqual([...names, 'exit.bye']);
  const runs = await historiesOf(client, WORKFLOW_ID, uid);
  expect(runs.flatMap(({ history }) => troubles(history))).toEqual([]);
  expect([worker.deaths, executor.deaths]).toEqual([2, 2]);
}, 180_000);
