import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PrivateEngine, startEngine } from '../../scripts/docker-engine.mjs';
import { SocketProxy } from '../support/docker/socket-proxy.ts';
import { eventually, pause, type Spec, Stage } from '../support/instances.ts';
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
    const deaf = { command: ['sh', '-c', 'trap "" TERM; while :; do sleep 0.1; done'], terminationGracePeriodSeconds: 1 };
    const one = await stage.deployment({ replicas: 4, ...deaf, ...placed });
    const kept = await stage.deployment({ replicas: 1, ...placed });
    await Promise.all([one.ready(), kept.ready()]);
    const others = await kept.ids();
    await one.probe.handle.terminate('by hand');
    const since = Date.now();
    const left = async (): Promise<number> => (await one.containers()).length;
    await eventually('the first is gone', async () => ((await left()) < 4 ? true : undefined));
    expect(Date.now() - since).toBeGreaterThan(25_000);
    const begun = Date.now();
    await eventually('nothing is left', async () => ((await stage.engine.tracesOf(one.uid)).length === 0 ? true : undefined));
    expect(Date.now() - begun, 'all at once, each with its own grace').toBeLessThan(10_000);
    expect(await kept.ids()).toEqual(others);
    await kept.ends();
  });

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
    await stage.deployments.waitFor(other.name, 'deleted', { timeoutMs: 90_000 });
    await other.ends({ isDeleted: true });
    await one.ends();
  });
});

describe.concurrent('what happens while the engine is away is found when it is back:', () => {
  let engine: PrivateEngine;
  let proxy: SocketProxy;
  let own: Stage;

  beforeAll(async () => {
    engine = await startEngine();
    proxy = await SocketProxy.start(engine.socket);
    own = await Stage.start({ engineSocket: engine.socket, through: proxy.socket, losesEngine: true });
  });

  afterAll(async () => {
    await own?.end();
    await proxy?.end();
    await engine?.stop();
  });

  it.sequential('that was ended, or killed, and comes back has everything running again, without a second one for any slot', async () => {
    const one = await own.deployment({ replicas: 3 });
    await one.ready();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const before = await one.historyLength();
      await engine.restart(signal);
      await eventually('it was noticed', async () => ((await one.historyLength()) > before ? true : undefined));
      await eventually('all run', async () => {
        const states = (await one.containers()).map(({ State }) => State);
        return states.length === 3 && states.every((state) => state === 'running') ? true : undefined;
      });
      await one.ready();
      await one.settledFor(1_000);
      await one.runs(3);
    }
    await one.ends();
  });

  it.sequential.each([
    { name: 'that is gone', leave: () => proxy.close(), back: () => proxy.open() },
    { name: 'that hangs', leave: async () => engine.kill('SIGSTOP'), back: async () => engine.kill('SIGCONT') },
  ])('with an engine $name nobody says Ready, nothing is done, and all is well when it is back', async ({ leave, back }) => {
    const one = await own.deployment({ replicas: 2 });
    one.toleratesStatusOf(30_000);
    await one.ready();
    const before = await one.ids();
    const since = Date.now();
    await leave();
    try {
      await one.shows('Ready', { status: 'Unknown', reason: 'NodeUnreachable' });
      const length = await one.historyLength();
      await pause(2_000);
      expect(await one.historyLength(), 'it is said once').toBe(length);
    } finally {
      await back();
    }
    await one.ready();
    await one.settledFor(1_000);
    expect(await one.ids()).toEqual(before);
    expect(one.operations(since)).toEqual([]);
    await one.ends();
  });
});
