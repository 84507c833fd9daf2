import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stage } from '../support/instances.ts';
import { Programs } from '../support/program.ts';

let stage: Stage;
let programs: Programs;

beforeAll(async () => {
  stage = await Stage.start({ inProcess: 'worker', config: { scheduleToStartMs: 2_000 } });
  programs = new Programs(stage.namespace);
});

afterAll(async () => {
  await programs?.endAll();
  await stage?.end();
});

describe.concurrent('a deployment that nobody can ever have started is deleted like any other, without force:', () => {
  it('on a node without an engine', async () => {
    const node = `${stage.node}-empty`;
    await stage.agent({ node, through: join(stage.home, 'no-engine.sock') });
    const one = await stage.deployment({ placement: { nodes: [node] } });
    const { message } = await one.shows('Ready', { status: 'Unknown', reason: 'RuntimeUnreachable' });
    expect(message).toMatch(/docker engine/);
    await one.ends();
  });

  it('on a node that is not there, because its name is mistyped', async () => {
    const one = await stage.deployment({ placement: { nodes: [`${stage.node}-typo`] } });
    await one.shows('Ready', { status: 'Unknown', reason: 'ExecutorUnavailable' });
    await one.ends();
  });

  it('on two nodes, of which one is not there', async () => {
    const node = `${stage.node}-one`;
    await stage.agent({ node });
    const one = await stage.deployment({ replicas: 2, placement: { nodes: [node, `${stage.node}-no-other`] } });
    await one.shows('Ready', { status: 'Unknown', reason: 'ExecutorUnavailable' });
    await one.ends();
  });

  it('but not while somebody may have begun before he died', async () => {
    const node = `${stage.node}-mortal`;
    const agent = () => programs.node({ ...stage.env, COLONY_NODE: node, COLONY_LOG_LEVEL: 'info', ...strike });
    let strike: Record<string, string> = { COLONY_FAILPOINT: 'syncInstances:after:1' };
    const first = await agent();
    const one = await stage.deployment({ placement: { nodes: [node] } });
    one.toleratesStatusOf(60_000);
    await first.ended;
    expect(await one.containers()).toHaveLength(1);
    await one.shows('Ready', { status: 'Unknown', reason: 'ExecutorUnavailable' });
    await stage.deployments.delete(one.name, { wait: false });
    await one.settledFor(1_000);
    expect((await one.resource()).metadata.deletionTimestamp).toBeDefined();
    strike = {};
    await agent();
    await stage.deployments.waitFor(one.name, 'deleted', { timeoutMs: 90_000 });
    await one.ends({ isDeleted: true });
  });

  it('and one whose name is spelled right in the end starts there', async () => {
    const node = `${stage.node}-right`;
    await stage.agent({ node });
    const one = await stage.deployment({ placement: { nodes: [`${stage.node}-wrong`] } });
    await one.shows('Ready', { status: 'Unknown', reason: 'ExecutorUnavailable' });
    await one.change({ placement: { nodes: [node] } });
    await one.ready();
    await one.runs(1);
    await one.ends();
  });
});
