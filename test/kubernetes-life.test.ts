import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../definitions/core/resource.ts';
import type { ColonyClient, Resources } from '../src/client/api.ts';
import { connect } from '../src/client/connect.ts';
import { readConfig } from '../src/config.ts';
import { Agent } from '../src/node/agent.ts';
import { keepRunning } from '../src/node/keep-running.ts';
import { createLog } from '../src/node/log.ts';
import { createNodeWorker } from '../src/node/worker.ts';
import { KubernetesDouble } from './support/kubernetes-double.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

// An ExecutorDeployment on Kubernetes from apply to delete: a real Temporal server, worker and agent, and a double of a cluster.

const PATIENCE = { timeout: 30_000, interval: 100 };
const namespace = leaseNamespace();
const home = mkdtempSync(join(tmpdir(), 'colony-kubernetes-life-'));
let cluster: KubernetesDouble;
let client: Client;
let colony: ColonyClient;
let worker: TestWorker;
let agent: { end(): Promise<void> } | undefined;
let deployments: Resources;

beforeAll(async () => {
  cluster = await KubernetesDouble.start();
  writeFileSync(join(home, 'kubeconfig'), cluster.kubeconfig);
  client = await connectClient(namespace);
  colony = await connect({ address: temporalAddress(), temporalNamespace: namespace });
  deployments = colony.resources('compute.colonies.io/v1', 'ExecutorDeployment');
  worker = await startWorker(namespace, { config: { defaultNode: 'k1' } });
});

afterAll(async () => {
  await agent?.end();
  await worker?.stop();
  await colony?.close();
  await client?.connection.close();
  await cluster?.end();
  rmSync(home, { recursive: true, force: true });
});

async function startAgent(kubeconfig: string | undefined): Promise<{ end(): Promise<void> }> {
  const config = { ...readConfig(), temporalNamespace: namespace, node: 'k1', defaultNode: 'k1', home, kubeconfig };
  const log = createLog('silent', 'node');
  const made = new Agent(config, log);
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((ready) => {
    running = keepRunning({
      address: temporalAddress(),
      signal: stop.signal,
      log,
      onChange: (isReady) => isReady && ready(),
      createWorker: async (connection) => createNodeWorker(connection, config, await made.activities(connection)),
      accompany: (connection, signal) => made.observe(connection, signal),
    });
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    await made.end();
  };
  return { end };
}

const apply = (spec: JsonObject) => deployments.apply({ metadata: { name: 'ml' }, spec: { runtime: 'kubernetes', ...spec } });

async function ready(): Promise<unknown> {
  const { status, metadata } = await deployments.get('ml');
  if (status?.observedGeneration !== metadata.generation) return undefined;
  return status.conditions?.find(({ type }) => type === 'Ready');
}

it('lives: no kubeconfig, Ready, scaled, replaced, in trouble, deleted by hand, gone', async () => {
  agent = await startAgent(undefined);
  await apply({ replicas: 2, image: 'ml:1' });
  await expect
    .poll(ready, PATIENCE)
    .toMatchObject({ status: 'False', reason: 'RuntimeUnavailable', message: expect.stringContaining('COLONY_KUBECONFIG') });
  expect(cluster.calls).toEqual([]);
  await agent.end();

  agent = await startAgent(join(home, 'kubeconfig'));
  await expect.poll(ready, PATIENCE).toMatchObject({ status: 'True' });
  const first = [...cluster.pods.keys()];
  expect(first).toHaveLength(2);

  await deployments.command('ml', 'scale', { replicas: 3 });
  await expect.poll(async () => (await deployments.get('ml')).status?.readyReplicas, PATIENCE).toBe(3);
  await expect.poll(ready, PATIENCE).toMatchObject({ status: 'True' });
  expect([...cluster.pods.keys()]).toEqual(expect.arrayContaining(first));

  await apply({ replicas: 3, image: 'ml:2' });
  await expect.poll(ready, PATIENCE).toMatchObject({ status: 'True' });
  expect([...cluster.pods.values()].map(({ spec }) => spec?.containers[0]?.image)).toEqual(['ml:2', 'ml:2', 'ml:2']);

  const [victim] = [...cluster.pods.values()];
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
  cluster.setStatus(victim?.metadata?.name ?? '', {
    phase: 'Pending',
    containerStatuses: [{ name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state: { waiting } }],
  });
  await expect.poll(ready, PATIENCE).toMatchObject({ status: 'False', reason: 'ImageMissing' });

  const patches = cluster.calls.filter((call) => call.startsWith('PATCH')).length;
  cluster.deployments.clear();
  cluster.pods.clear();
  cluster.forget();
  await expect.poll(ready, PATIENCE).toMatchObject({ status: 'True' });
  expect(cluster.calls.filter((call) => call.startsWith('PATCH')).length).toBe(patches + 1);

  await deployments.delete('ml');
  await deployments.waitFor('ml', 'deleted', { timeoutMs: 30_000 });
  expect([cluster.deployments.size, cluster.pods.size]).toEqual([0, 0]);
});
