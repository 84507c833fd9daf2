import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stage } from '../support/instances.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ inProcess: 'worker', config: { scheduleToStartMs: 2_000 } });
});

afterAll(() => stage?.end());

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
