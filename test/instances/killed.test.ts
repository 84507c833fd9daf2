import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcess } from '../../activities/runtimes/local/process-identity.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startServer } from '../../src/embedded/start-server.ts';
import { Supervised } from '../faults/processes.ts';
import { type Deployment, eventually, type Spec, Stage } from '../support/instances.ts';
import { temporalBinary } from '../support/temporal.ts';

let stage: Stage;
let nodes = 0;

beforeAll(async () => {
  stage = await Stage.start({ inProcess: 'worker' });
});

afterAll(() => stage?.end());

function agentOf(on: Stage, node: string): Supervised {
  const agent = new Supervised('dist/worker.mjs', { ...on.env, COLONY_NODE: node, COLONY_HOME: join(on.home, node) }, ['--role', 'node']);
  on.onEnd(() => agent.stop());
  return agent;
}

/** The first flight starts; those after it are of a roll, or the delete. */
async function wholeLife(one: Deployment, during: string): Promise<void> {
  one.toleratesStatusOf(30_000);
  await one.ready();
  await one.runs(2);
  if (during === 'its delete') return one.ends();
  await one.change({ image: 'colony-test:v2' });
  await one.ready();
  await one.settledFor(1_000);
  await one.runs(2, 'colony-test:v2');
  await one.ends();
}

describe.concurrent('kill -9 of the agent', () => {
  it.each([
    { point: 'resolveImage:before:1', during: 'its start' },
    { point: 'resolveImage:after:1', during: 'its start' },
    { point: 'syncInstances:before:1', during: 'its start' },
    { point: 'syncInstances:after:1', during: 'its start' },
    { point: 'syncInstances:before:2', during: 'a roll' },
    { point: 'syncInstances:after:2', during: 'a roll' },
    { point: 'syncInstances:before:2', during: 'its delete' },
    { point: 'syncInstances:after:2', during: 'its delete' },
  ])('at $point loses nothing, doubles nothing and leaves nothing ($during)', async ({ point, during }) => {
    const node = `${stage.node}-${++nodes}`;
    const agent = agentOf(stage, node);
    await agent.start({ COLONY_FAILPOINT: point });
    await wholeLife(await stage.deployment({ replicas: 2, placement: { nodes: [node] } }), during);
    expect(agent.deaths, 'it was really killed').toBe(1);
  });
});

it.concurrent('kill -9 of the worker in the midst of a rollout loses nothing', async () => {
  const own = await Stage.start({ inProcess: 'nobody' });
  try {
    const worker = new Supervised('dist/worker.mjs', { ...own.env, COLONY_NODE: own.node });
    own.onEnd(() => worker.stop());
    await Promise.all([worker.start(), own.agent()]);
    const one = await own.deployment({ replicas: 3 });
    one.toleratesStatusOf(30_000);
    await one.ready();
    await one.change({ image: 'colony-test:v2' });
    await eventually('it has begun', async () => one.operations().length > 6 || undefined);
    worker.kill();
    await one.ready();
    await one.runs(3, 'colony-test:v2');
    await one.change({ replicas: 1 });
    worker.kill();
    await one.ready();
    await one.settledFor(1_000);
    await one.runs(1);
    expect(worker.deaths).toBe(2);
    await one.ends();
  } finally {
    await own.end();
  }
});

it.concurrent('kill -9 of Temporal in the midst of a rollout loses nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colony-rollout-'));
  const port = await freePort();
  const start = () => startServer({ binary: temporalBinary(), database: join(folder, 'temporal.db'), port });
  let server = await start();
  const client = new Client({ connection: await Connection.connect({ address: server.address }) });
  const own = await Stage.start({ inProcess: 'nobody', temporal: { address: server.address, namespace: 'default', client } });
  try {
    const worker = new Supervised('dist/worker.mjs', { ...own.env });
    own.onEnd(() => worker.stop());
    await Promise.all([worker.start(), agentOf(own, own.node).start()]);
    const one = await own.deployment({ replicas: 3 });
    one.toleratesStatusOf(60_000);
    await one.ready();
    await one.change({ image: 'colony-test:v2' });
    await eventually('it has begun', async () => one.operations().length > 6 || undefined);
    await endProcess(server.identity, 0);
    const [victim = ''] = await one.ids();
    await own.engine.remove(victim);
    server = await start();
    await settlesAgain(one, { replicas: 3 });
    await one.runs(3, 'colony-test:v2');
    await one.ends();
  } finally {
    await own.end();
    await client.connection.close();
    await endProcess(server.identity, 0);
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The server may be away for some of it. */
async function settlesAgain(one: Deployment, { replicas }: Spec & { readonly replicas: number }): Promise<void> {
  const isSo = async (): Promise<true | undefined> => {
    const states = (await one.containers()).map(({ State, Labels }) => `${State} ${Labels['colony.digest']}`);
    return states.length === replicas && new Set(states).size === 1 ? true : undefined;
  };
  await eventually('all run', isSo);
  await eventually('it says so', () => one.ready(5_000).catch(() => undefined));
  await one.settledFor(1_500);
}
