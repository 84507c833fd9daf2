import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Supervised } from '../faults/processes.ts';
import { EngineError } from '../support/docker/engine-client.ts';
import { delay, type Fault, loseAnswer, partial, refuse, reset, stale } from '../support/docker/faults.ts';
import { type Injection, SocketProxy } from '../support/docker/socket-proxy.ts';
import { type Deployment, pause, Stage, testEngine } from '../support/instances.ts';

/** Repeat one with COLONY_TEST_SEEDS=17; try many with COLONY_TEST_SEEDS=1-50, longer ones with COLONY_TEST_STEPS=40. */
const SEEDS = seedsOf(process.env.COLONY_TEST_SEEDS ?? '1-3');
const STEPS = Number(process.env.COLONY_TEST_STEPS ?? 14);

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ inProcess: 'worker' });
});

afterAll(() => stage?.end());

describe.concurrent('whatever happens, in whatever order', () => {
  it.each(SEEDS)(
    'ends as wished, with one container per slot at every instant and nothing left (seed %i)',
    async (seed) => {
      const random = randomOf(seed);
      const proxy = await SocketProxy.start(testEngine());
      stage.onEnd(() => proxy.end());
      const node = `${stage.node}-${seed}`;
      const env = { ...stage.env, COLONY_NODE: node, COLONY_HOME: join(stage.home, node), DOCKER_HOST: proxy.host };
      const agent = new Supervised('dist/worker.mjs', env, ['--role', 'node']);
      stage.onEnd(() => agent.stop());
      await agent.start();
      const one = await stage.deployment({ replicas: 2, placement: { nodes: [node] }, terminationGracePeriodSeconds: 1 }, `chaos-${seed}`);
      one.toleratesStatusOf(30_000); // lists that lie are believed until the next one, and so is an agent that is dead
      const done: string[] = [];
      for (let step = 0; step < STEPS; step++) {
        const [name, act] = pick(random, deeds(one, proxy, agent, random, seed % 2 === 0));
        done.push(name);
        await act().catch((error: unknown) => {
          // What was to be hurt is gone already, or was hurt like this before.
          if (!(error instanceof EngineError)) throw error;
        });
        await pause(random() * 400);
      }
      proxy.clear();
      await proxy.open();
      const [replicas, image] = [Math.floor(random() * 4), pick(random, ['colony-test:v1', 'colony-test:v2'])];
      try {
        await one.change({ replicas, image, paused: undefined, strategy: undefined });
        await one.ready();
        await one.settledFor(1_500);
        await one.runs(replicas, image);
        await one.ends();
      } catch (error) {
        throw new Error(`seed ${seed}, after ${done.join(', ')}: ${(error as Error).message}`, { cause: error });
      }
      expect(done).toHaveLength(STEPS);
    },
    240_000,
  );
});

type Deed = readonly [string, () => Promise<unknown>];

/** Not both in one life: what has lost its name and is in no list cannot be known, and is doubled until the next list. */
function deeds(one: Deployment, proxy: SocketProxy, agent: Supervised, random: () => number, canBeRenamed: boolean): Deed[] {
  const { engine } = stage;
  const hurt = (name: string, work: (id: string) => Promise<unknown>): Deed => [
    name,
    async () => {
      const ids = await one.ids();
      if (ids.length > 0) await work(pick(random, ids));
    },
  ];
  const fault = (name: string, kind: Fault, where: Injection): Deed => [name, async () => void proxy.inject(kind, where)];
  const replicas = Math.floor(random() * 5);
  const renaming = hurt('rename', (id) => engine.rename(id, `chaos-${id.slice(0, 12)}`));
  const lyingLists = [
    fault('partial list', partial(), { path: /^\/containers\/json/, times: 2 }),
    fault('stale list', stale(2), { path: /^\/containers\/json/, times: 2 }),
  ];
  return [
    [`scale to ${replicas}`, () => one.change({ replicas })],
    [`scale to ${replicas}`, () => one.command('scale', { replicas })],
    ['v1', () => one.change({ image: 'colony-test:v1' })],
    ['v2', () => one.change({ image: 'colony-test:v2' })],
    ['env', () => one.change({ env: { N: String(random()) } })],
    ['recreate', () => one.change({ strategy: { type: 'Recreate' } })],
    ['start-first', () => one.change({ strategy: { type: 'RollingUpdate', order: 'start-first' } })],
    ['restart', () => one.command('restart')],
    hurt('kill', (id) => engine.kill(id)),
    hurt('remove', (id) => engine.remove(id)),
    hurt('pause', (id) => engine.pause(id)),
    hurt('stop', (id) => engine.stop(id, 1)),
    hurt('update', (id) => engine.update(id, { PidsLimit: 99 })),
    fault('lose a change', loseAnswer, { method: 'POST', path: /./ }),
    fault('lose a removal', loseAnswer, { method: 'DELETE', path: /./ }),
    fault('500', refuse(500), { method: 'POST', path: /^\/containers/, times: 2 }),
    fault('late', delay(800), { method: 'POST', path: /^\/containers/ }),
    fault('cut', reset, { method: 'GET', path: /./, times: 2 }),
    ...(canBeRenamed ? [renaming] : lyingLists),
    ['kill the agent', async () => agent.kill()],
    [
      'away',
      async () => {
        await proxy.close();
        await pause(random() * 800);
        await proxy.open();
      },
    ],
  ];
}

function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function seedsOf(text: string): number[] {
  const [first = 1, last = first] = text.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
