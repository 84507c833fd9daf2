import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PrivateEngine, startEngine } from '../../scripts/docker-engine.mjs';
import { SocketProxy } from '../support/docker/socket-proxy.ts';
import { eventually, pause, Stage } from '../support/instances.ts';

let engine: PrivateEngine;
let proxy: SocketProxy;
let stage: Stage;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await SocketProxy.start(engine.socket);
  stage = await Stage.start({ engineSocket: engine.socket, through: proxy.socket, losesEngine: true });
});

afterAll(async () => {
  await stage?.end();
  await proxy?.end();
  await engine?.stop();
});

it('an engine that was ended, or killed, and comes back has everything running again, without a second one for any slot', async () => {
  const one = await stage.deployment({ replicas: 3 });
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
}, 120_000);

it.each([
  { name: 'that is gone', leave: () => proxy.close(), back: () => proxy.open() },
  { name: 'that hangs', leave: async () => engine.kill('SIGSTOP'), back: async () => engine.kill('SIGCONT') },
])(
  'with an engine $name nobody says Ready, nothing is done, and all is well when it is back',
  async ({ leave, back }) => {
    const one = await stage.deployment({ replicas: 2 });
    one.toleratesStatusOf(30_000);
    await one.ready();
    const before = await one.ids();
    const since = Date.now();
    await leave();
    try {
      await one.shows('Ready', { status: 'Unknown', reason: 'NodeUnreachable' }, 45_000);
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
  },
  120_000,
);
