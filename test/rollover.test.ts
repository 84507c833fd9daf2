import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Metadata } from '../definitions/core/resource.ts';
import type { ColonyClient } from '../src/client/api.ts';
import { connect } from '../src/client/connect.ts';
import { runExecutor } from '../src/executor/run.ts';
import { historiesOf } from './stress/histories.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

const namespace = leaseNamespace();
let worker: TestWorker;
let colony: ColonyClient;

beforeAll(async () => {
  worker = await startWorker(namespace, { config: { rolloverEvents: 50 } });
  colony = await connect({ address: temporalAddress(), temporalNamespace: namespace });
  await colony.apply({
    apiVersion: 'colonies.io/v1',
    kind: 'ResourceDefinition',
    metadata: { name: 'notes.example.com' },
    spec: { group: 'example.com', version: 'v1', names: { kind: 'Note', plural: 'notes' }, scope: 'Namespaced', handler: null },
  });
});

afterAll(async () => {
  await colony.close();
  await worker.stop();
});

it('a resource that has rolled over is shown whole: object, labels and readiness, although the new run has written little of it', async () => {
  const notes = colony.resources('example.com/v1', 'Note');
  const client = await connectClient(namespace);
  const id = 'notes.example.com/default/n1';
  for (let n = 0; n < 15; n++) await notes.apply({ metadata: { name: 'n1', labels: { tier: 'web' } }, spec: { n } });
  const { memo, searchAttributes } = await client.workflow.getHandle(id).describe();
  const meta = memo?.meta as Metadata;
  expect((await historiesOf(client, id, meta.uid)).length, 'it has rolled over').toBeGreaterThan(1);
  expect(memo).toMatchObject({ apiVersion: 'example.com/v1', spec: { n: 14 }, status: { observedGeneration: 15 } });
  expect(searchAttributes).toMatchObject({
    ColonyLabels: ['tier=web'],
    ColonyReady: ['True'],
    ColonyPhase: ['Ready'],
    ColonyVersion: [Number(meta.resourceVersion)],
  });
  expect((await notes.waitFor('n1', 'Ready', { timeoutMs: 3_000 }))?.spec).toEqual({ n: 14 });
  await client.connection.close();
});

it('a run whose answers are too much to be handed over fails in words, and goes on living', async () => {
  const at = { address: temporalAddress(), temporalNamespace: namespace };
  const executor = await runExecutor(
    { executorType: 'talkers', functions: { talk: async () => ({ outputs: { text: 'x'.repeat(30_000) } }) } },
    at,
  );
  const client = await connectClient(namespace);
  const runs = colony.resources('automation.colonies.io/v1', 'WorkflowRun');
  const functionSpec = { funcName: 'talk', conditions: { executorType: 'talkers' } };
  const steps = Array.from({ length: 80 }, (_, index) => ({ name: `s${index}`, functionSpec }));
  await runs.apply({ metadata: { name: 'loud' }, spec: { steps } });
  await expect.poll(async () => (await runs.get('loud')).status?.phase, { timeout: 60_000 }).toBe('Failed');
  const { status } = await runs.get('loud');
  expect(JSON.stringify(status?.steps)).toContain('together at most 1048576 are allowed');
  const { status: state } = await client.workflow.getHandle('workflowruns.automation.colonies.io/default/loud').describe();
  expect(state.name).toBe('RUNNING');
  await runs.delete('loud');
  await expect.poll(() => runs.get('loud').catch((error: Error) => error.name), { timeout: 30_000 }).toMatch(/NotFound/);
  executor.stop();
  await executor.done;
  await client.connection.close();
});
