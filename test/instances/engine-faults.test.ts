import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delay, drip, type Fault, garbage, loseAnswer, partial, refuse, reset, stale, stall } from '../support/docker/faults.ts';
import { type Injection, SocketProxy } from '../support/docker/socket-proxy.ts';
import { type Deployment, eventually, Stage, testEngine } from '../support/instances.ts';

const CREATE = { method: 'POST', path: /^\/containers\/create/ };
const START = { method: 'POST', path: /^\/containers\/[^/]+\/start/ };
const KILL = { method: 'POST', path: /^\/containers\/[^/]+\/kill/ };
const WAIT = { method: 'POST', path: /^\/containers\/[^/]+\/wait/ };
const REMOVE = { method: 'DELETE', path: /^\/containers\// };
const LIST = { method: 'GET', path: /^\/containers\/json/ };
const INSPECT = { method: 'GET', path: /^\/containers\/\w{12,}[^/]*\/json/ };

let stage: Stage;
let nodes = 0;

beforeAll(async () => {
  stage = await Stage.start({ inProcess: 'worker' });
});

afterAll(() => stage?.end());

/** A node whose agent reaches the engine through a proxy of its own, so that tests can run at once. */
async function proxiedNode(): Promise<{ readonly proxy: SocketProxy; readonly placed: { placement: { nodes: string[] } } }> {
  const proxy = await SocketProxy.start(testEngine());
  const node = `${stage.node}-${++nodes}`;
  await stage.agent({ node, through: proxy.socket });
  stage.onEnd(() => proxy.end());
  return { proxy, placed: { placement: { nodes: [node] } } };
}

/** From nothing to two, to another image, to one, to nothing: every kind of request comes by. */
async function wholeLife(one: Deployment): Promise<void> {
  await one.ready();
  await one.runs(2);
  await one.change({ image: 'colony-test:v2' });
  await one.ready();
  await one.runs(2, 'colony-test:v2');
  await one.change({ replicas: 1 });
  await one.ready();
  await one.settledFor(1_000);
  await one.runs(1, 'colony-test:v2');
  await one.ends();
}

const lost: { name: string; faults: readonly (readonly [Fault, Injection])[] }[] = [
  { name: 'a list is never answered', faults: [[stall, { ...LIST, after: 3 }]] },
  {
    name: 'the answers of the first, second and last creates are lost',
    faults: [0, 0, 1].map((after) => [loseAnswer, { ...CREATE, after }] as const),
  },
  { name: 'answers of starts are lost', faults: [0, 1, 1].map((after) => [loseAnswer, { ...START, after }] as const) },
  {
    name: 'no answer to any change ever arrives',
    faults: [CREATE, START, KILL, REMOVE].map((where) => [loseAnswer, { ...where, times: Number.POSITIVE_INFINITY }] as const),
  },
  {
    name: 'answers of kills, waits and removes are lost',
    faults: [
      [loseAnswer, KILL],
      [loseAnswer, WAIT],
      [loseAnswer, { ...REMOVE, times: 2 }],
    ],
  },
  {
    name: 'the engine says 500 to creates, starts and removes',
    faults: [CREATE, START, REMOVE].map((path) => [refuse(500), { ...path, times: 2 }] as const),
  },
  {
    name: 'answers break off, are garbled, drip or come late',
    faults: [
      [reset, CREATE],
      [garbage(), { ...INSPECT, after: 1 }],
      [reset, { ...LIST, after: 2 }],
      [drip(1), { ...LIST, after: 4 }],
      [delay(1_500), { ...START, after: 1 }],
      [delay(1_500), REMOVE],
    ],
  },
  {
    name: 'lists are older than the world, or lack entries',
    faults: [
      [stale(1), { ...LIST, after: 2, times: 2 }],
      [partial(), { ...LIST, after: 1, times: 3 }],
      [partial(() => false), { ...LIST, after: 2, times: 2 }],
    ],
  },
];

describe.concurrent('a whole life has one container per slot at every instant, ends as wished and leaves nothing', () => {
  // First, because it mostly waits.
  it('when a create lands after the delete: what it made is swept away', async () => {
    const { proxy, placed } = await proxiedNode();
    const { release, isHeld } = await giveUpCreate(proxy);
    const one = await stage.deployment({ replicas: 1, ...placed });
    await isHeld;
    await one.ready();
    await one.ends();
    release();
    await eventually('the late one is there', async () => ((await one.containers()).length === 1 ? true : undefined));
    await eventually('it is gone', async () => ((await one.containers()).length === 0 ? true : undefined));
  });

  it.each(lost)('when $name', async ({ faults }) => {
    const { proxy, placed } = await proxiedNode();
    const injected = faults.map(([fault, where]) => proxy.inject(fault, where));
    const one = await stage.deployment({ replicas: 2, ...placed });
    one.toleratesStatusOf(25_000); // a list that lies is believed until the next one
    await wholeLife(one);
    expect(
      injected.every(({ strikes }) => strikes > 0),
      'every fault has struck',
    ).toBe(true);
  });

  it('when a create lands long after it was given up and done again', async () => {
    const { proxy, placed } = await proxiedNode();
    const { release, isHeld } = await giveUpCreate(proxy);
    const one = await stage.deployment({ replicas: 2, ...placed });
    await isHeld;
    await one.ready();
    release();
    await one.settledFor(1_000);
    await one.runs(2);
    await one.ends();
  });

  it('when the engine fails to remove one and says from then on that it is going away', async () => {
    const { proxy, placed } = await proxiedNode();
    const one = await stage.deployment({ replicas: 1, ...placed });
    await one.ready();
    const refused = proxy.inject(refuse(500, 'unable to remove filesystem'), REMOVE);
    const going = partial((entry) => Object.assign(entry as object, { State: 'removing' }) !== undefined);
    const arrived = proxy.arrival(REMOVE).then(() => proxy.inject(going, { ...LIST, times: Number.POSITIVE_INFINITY }));
    await one.ends();
    expect(refused.strikes).toBe(1);
    expect((await arrived).strikes).toBeGreaterThan(0);
  });

  it('when the engine cannot be reached in the midst of it', async () => {
    const { proxy, placed } = await proxiedNode();
    const one = await stage.deployment({ replicas: 2, ...placed });
    one.toleratesStatusOf(10_000);
    for (const moment of [CREATE, START, REMOVE]) {
      const arrived = proxy.arrival(moment);
      if (moment !== CREATE) await one.change({ env: { STEP: String(moment.path) } });
      await arrived;
      await proxy.close(moment === START ? 'missing' : 'refused');
      await proxy.open();
    }
    await wholeLife(one);
  });
});

/** Holds back a create, and cuts its connection so that the agent must try again. */
async function giveUpCreate(proxy: SocketProxy): Promise<{ readonly release: () => void; readonly isHeld: Promise<void> }> {
  let release = (): void => {};
  proxy.inject(delay(new Promise<void>((done) => (release = done))), CREATE);
  const isHeld = proxy.arrival(CREATE).then(async () => {
    await proxy.close();
    await proxy.open();
  });
  return { release: () => release(), isHeld };
}
