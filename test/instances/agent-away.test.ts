import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type Spec, Stage } from '../support/instances.ts';
import { type Program, Programs } from '../support/program.ts';

let stage: Stage;
let programs: Programs;
let nodes = 0;

beforeAll(async () => {
  stage = await Stage.start({ inProcess: 'worker' });
  programs = new Programs(stage.namespace);
});

afterAll(async () => {
  await programs?.endAll();
  await stage?.end();
});

/** A node of its own, with an agent that can be killed and started again. */
function newNode(): { readonly placed: Spec; readonly start: () => Promise<Program> } {
  const node = `${stage.node}-${++nodes}`;
  const start = () => programs.node({ ...stage.env, COLONY_NODE: node, COLONY_LOG_LEVEL: 'info' });
  return { placed: { placement: { nodes: [node] } }, start };
}

describe.concurrent('what happens while the agent is away is found when it is back', () => {
  it('its resource terminated by hand: what is left of it is swept away within a minute or so', async () => {
    const { placed, start } = newNode();
    await start();
    const one = await stage.deployment({ replicas: 2, ...placed });
    const kept = await stage.deployment({ replicas: 1, ...placed });
    await Promise.all([one.ready(), kept.ready()]);
    const others = await kept.ids();
    await one.probe.handle.terminate('by hand');
    const since = Date.now();
    await eventually('nothing is left', async () => ((await stage.engine.tracesOf(one.uid)).length === 0 ? true : undefined), 75_000);
    expect(Date.now() - since).toBeGreaterThan(25_000);
    expect(await kept.ids()).toEqual(others);
    await kept.ends();
  }, 150_000);

  it('some killed, some removed, some new ones wished', async () => {
    const { placed, start } = newNode();
    const agent = await start();
    const one = await stage.deployment({ replicas: 3, ...placed });
    one.toleratesStatusOf(60_000);
    await one.ready();
    const before = await one.ids();
    await agent.end('SIGKILL');
    await stage.engine.remove(before[0] ?? '');
    await stage.engine.kill(before[1] ?? '');
    await start();
    await eventually('three run', async () => {
      const states = (await one.containers()).map(({ State }) => State);
      return states.length === 3 && states.every((state) => state === 'running') ? true : undefined;
    });
    await one.ready();
    await one.settledFor(1_000);
    const after = await one.ids();
    expect(after.slice(1), 'what could be kept was kept').toEqual(before.slice(1));
    await one.ends();
  });

  it('all removed', async () => {
    const { placed, start } = newNode();
    const agent = await start();
    const one = await stage.deployment({ replicas: 3, ...placed });
    one.toleratesStatusOf(60_000);
    await one.ready();
    await agent.end('SIGKILL');
    for (const id of await one.ids()) await stage.engine.remove(id);
    await start();
    await eventually('three run', async () =>
      (await one.containers()).filter(({ State }) => State === 'running').length === 3 ? true : undefined,
    );
    await one.ready();
    await one.settledFor(1_000);
    await one.runs(3);
    await one.ends();
  });

  it('another image wished, and the delete of another', async () => {
    const { placed, start } = newNode();
    const agent = await start();
    const [one, other] = await Promise.all([stage.deployment({ replicas: 2, ...placed }), stage.deployment({ replicas: 2, ...placed })]);
    await Promise.all([one.ready(), other.ready()]);
    await agent.end('SIGKILL');
    await one.change({ image: 'colony-test:v2' });
    await stage.deployments.delete(other.name, { wait: false });
    await start();
    await one.ready();
    await one.runs(2, 'colony-test:v2');
    await stage.deployments.waitFor(other.name, 'deleted', { timeoutMs: 45_000 });
    await other.ends({ isDeleted: true });
    await one.ends();
  });
});
