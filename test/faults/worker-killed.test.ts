import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historiesOf, troubles } from '../stress/histories.ts';
import { connectClient, leaseNamespace, temporalAddress } from '../support/temporal.ts';
import { eventually, Supervised } from './processes.ts';

const DEFINITION = {
  apiVersion: 'colonies.io/v1',
  kind: 'ResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1',
    names: { kind: 'Widget', plural: 'widgets' },
    scope: 'Namespaced',
    schema: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } }, required: ['size'] },
    handler: { executorType: 'makers', functionName: 'reconcile_widget', timeout: 3 },
  },
};

/** Every point of a widget's life at which a process can be lost: before the effect, effect done and answer lost, decided but not recorded. */
const strikes = [
  { name: 'worker: before the first decision', worker: 'decide:before:1' },
  { name: 'worker: first decision made, not recorded', worker: 'decide:after:1' },
  { name: 'worker: before the decision on the first result', worker: 'decide:before:2' },
  { name: 'worker: decision on the first result made, not recorded', worker: 'decide:after:2' },
  { name: 'worker: before the decision on the change', worker: 'decide:before:3' },
  { name: 'worker: decision on the change made, not recorded', worker: 'decide:after:3' },
  { name: 'worker: decision on the delete made, not recorded', worker: 'decide:after:5' },
  { name: 'executor: before the effect', executor: 'reconcile1:before' },
  { name: 'executor: effect done, answer lost', executor: 'reconcile1:after' },
  { name: 'executor: effect of the change done, answer lost', executor: 'reconcile2:after' },
  { name: 'executor: before the clean-up', executor: 'finalize:before' },
  { name: 'executor: clean-up done, answer lost', executor: 'finalize:after' },
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'colony-effects-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A plain Temporal client: the observer shares no code with the product's own. */
async function send(
  client: Client,
  type: string,
  workflowId: string,
  update: string,
  body: unknown,
): Promise<{ generation: number; uid: string }> {
  return eventually(`${update} of ${workflowId} is answered`, async () => {
    const startWorkflowOperation = new WithStartWorkflowOperation(type, {
      workflowId,
      taskQueue: 'colony',
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowTaskTimeout: '5s',
      args: [],
    });
    return (await client.workflow.executeUpdateWithStart(update, { args: [body], startWorkflowOperation })) as {
      generation: number;
      uid: string;
    };
  });
}

const effects = (uid: string): string[] =>
  readFileSync(join(folder, 'log'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(uid));

describe('kill -9', () => {
  it.concurrent.each(strikes)(
    'of the $name loses nothing and does every effect once',
    async ({ worker: workerPoint, executor: executorPoint }) => {
      // A namespace for each, so that no other worker comes to help.
      const namespace = leaseNamespace();
      const client = await connectClient(namespace);
      const env = {
        TEMPORAL_ADDRESS: temporalAddress(),
        TEMPORAL_NAMESPACE: namespace,
        EFFECTS: folder,
        COLONY_LOG_LEVEL: 'error',
        COLONY_FIRST_RETRY_MS: '200',
      };
      const preparing = new Supervised('dist/worker.mjs', env);
      const worker = new Supervised('dist/worker.mjs', env);
      const executor = new Supervised('test/faults/effect-executor.mjs', env);
      const name = `w-${(workerPoint ?? executorPoint ?? '').replaceAll(':', '-')}`;
      const workflowId = `widgets.example.com/default/${name}`;
      const handle = client.workflow.getHandle(workflowId);
      const settled = (generation: number) =>
        eventually(`generation ${generation} is ready`, async () => {
          const { memo } = await handle.describe();
          const status = memo?.status as
            | { observedGeneration?: number; made?: string; conditions?: { type: string; status: string }[] }
            | undefined;
          const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
          return status?.observedGeneration === generation && isReady ? status : undefined;
        });
      try {
        await preparing.start();
        await send(client, 'ResourceDefinition', 'resourcedefinitions.colonies.io/-/widgets.example.com', 'apply', DEFINITION);
        await preparing.stop();
        await Promise.all([
          worker.start(workerPoint ? { COLONY_FAILPOINT: workerPoint } : {}),
          executor.start(executorPoint ? { STRIKE: executorPoint } : {}),
        ]);
        const created = await send(client, 'Widget', workflowId, 'apply', { requestId: `${name}-1`, spec: { size: 1, color: 'red' } });
        expect((await settled(1)).made).toBe('red');
        const changed = await send(client, 'Widget', workflowId, 'apply', { requestId: `${name}-2`, spec: { size: 2, color: 'green' } });
        expect(changed.generation).toBe(created.generation + 1);
        expect((await settled(2)).made).toBe('green');
        await handle.executeUpdate('delete', { args: [{ requestId: `${name}-3` }] }).catch(() => {});
        await eventually('the workflow has ended', async () => ((await handle.describe()).status.name === 'COMPLETED' ? true : undefined));
        expect(worker.deaths + executor.deaths, 'the process was really killed').toBe(1);
        expect(effects(created.uid)).toEqual([`${created.uid}/1`, `${created.uid}/2`, `${created.uid}/finalize`]);
        const runs = await historiesOf(client, workflowId, created.uid);
        expect(runs.flatMap(({ history }) => troubles(history))).toEqual([]);
      } finally {
        await Promise.all([preparing.stop(), worker.stop(), executor.stop()]);
        await client.connection.close();
      }
    },
  );
});
