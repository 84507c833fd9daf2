import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, Stage } from '../support/instances.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start();
});

afterAll(() => stage?.end());

describe.concurrent('an ExecutorDeployment', () => {
  it('starts as many as wished, and says that they run', async () => {
    const one = await stage.deployment({ replicas: 3, env: { GREETING: 'hello' } });
    const { readyReplicas, instances, phase } = await one.ready();
    expect([readyReplicas, phase]).toEqual([3, 'Running']);
    const containers = await one.runs(3, 'colony-test:v1');
    expect(instances.map(({ id }) => id).sort()).toEqual(containers.map(({ Id }) => Id).sort());
    for (const { Config } of await one.inspect()) expect(Config.Env).toContain('GREETING=hello');
    await one.ends();
  });

  it('grows, shrinks, goes to none and comes back, without touching those that stay', async () => {
    const one = await stage.deployment({ replicas: 2 });
    await one.ready();
    const first = await one.ids();
    for (const replicas of [4, 1, 0, 3]) {
      const before = new Set(await one.ids());
      await one.change({ replicas });
      await one.ready();
      await one.runs(replicas);
      const kept = (await one.ids()).filter((id) => before.has(id));
      expect(kept).toHaveLength(Math.min(before.size, replicas));
    }
    expect(await one.ids()).not.toEqual(expect.arrayContaining(first));
    await one.ends();
  });

  it('replaces all for another image or environment, one revision after the other', async () => {
    const one = await stage.deployment({ replicas: 3, env: { A: '1' } });
    await one.ready();
    const before = await one.ids();
    await one.change({ image: 'colony-test:v2' });
    await one.ready();
    const after = (await one.runs(3, 'colony-test:v2')).map(({ Id }) => Id);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    await one.change({ env: { A: '2' } });
    await one.ready();
    for (const { Config } of await one.inspect()) expect(Config.Env).toContain('A=2');
    await one.ends();
  });

  it('stops all old ones before the first new one with Recreate, and never goes below its minimum with RollingUpdate', async () => {
    const recreate = await stage.deployment({ replicas: 3, strategy: { type: 'Recreate' } });
    const rolling = await stage.deployment({
      replicas: 3,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    });
    for (const one of [recreate, rolling]) await one.ready();
    const since = Date.now();
    for (const one of [recreate, rolling]) await one.change({ image: 'colony-test:v2' });
    for (const one of [recreate, rolling]) await one.ready();
    const recreated = await recreate.runningOverTime(since);
    expect(Math.min(...recreated), 'there was a moment without any').toBe(0);
    expect(Math.max(...recreated)).toBe(3);
    const digests = recreate.happened(since).filter(({ action }) => action === 'create' || action === 'destroy');
    const lastDestroy = digests.findLastIndex(({ action }) => action === 'destroy');
    const firstCreate = digests.findIndex(({ action }) => action === 'create');
    expect(firstCreate, 'the first new one comes after the last old one').toBeGreaterThan(lastDestroy);
    const rolled = await rolling.runningOverTime(since);
    expect(Math.min(...rolled)).toBeGreaterThanOrEqual(2);
    expect(Math.max(...rolled)).toBeLessThanOrEqual(4);
    await Promise.all([recreate.ends(), rolling.ends()]);
  });

  it('leaves everything running when only labels, strategy or patience change', async () => {
    const one = await stage.deployment({ replicas: 2 });
    await one.ready();
    const before = await one.ids();
    const since = Date.now();
    await one.change({ strategy: { type: 'Recreate' } });
    await one.ready();
    await one.change({ restart: { resetAfter: '1m' } }, { labels: { team: 'blue' } });
    await one.ready();
    await one.settledFor(500);
    expect(await one.ids()).toEqual(before);
    expect(one.operations(since)).toEqual([]);
    await one.ends();
  });

  it('is somebody else when it was deleted and made again under its name', async () => {
    const one = await stage.deployment({ replicas: 2 }, 'again');
    await one.ready();
    await one.ends();
    const other = await stage.deployment({ replicas: 2 }, 'again');
    await other.ready();
    expect(other.uid).not.toBe(one.uid);
    expect(await one.containers()).toEqual([]);
    await other.runs(2);
    await other.ends();
  });

  it('ends with A after A, B, A, as if B had never been', async () => {
    const one = await stage.deployment({ replicas: 3, env: { LETTER: 'A' } });
    const { targetRevision } = await one.ready();
    await one.change({ env: { LETTER: 'B' } });
    await one.change({ env: { LETTER: 'A' } });
    const after = await one.ready();
    expect(after.targetRevision?.digest).toBe(targetRevision?.digest);
    // What B had begun is over before anybody says Ready.
    for (const { Config } of await one.inspect()) expect(Config.Env).toContain('LETTER=A');
    await one.runs(3);
    await one.settledFor(500);
    await one.runs(3);
    await one.ends();
  });

  it('says that an image is missing, keeps what works, and goes on with an image that is there', async () => {
    const one = await stage.deployment({ replicas: 2 });
    await one.ready();
    const before = await one.ids();
    await one.change({ image: 'colony-test:nowhere', imagePullPolicy: 'Never' });
    await one.shows('Ready', { status: 'False', reason: 'ImageMissing' });
    expect(await one.ids()).toEqual(before);
    await one.change({ image: 'colony-test:v2', imagePullPolicy: undefined });
    await one.ready();
    await one.runs(2, 'colony-test:v2');
    await one.ends();
  });

  it('that never had an image that is there can be mended, and can be deleted', async () => {
    const one = await stage.deployment({ image: 'colony-test:nowhere', imagePullPolicy: 'Never' });
    await one.shows('Ready', { status: 'False', reason: 'ImageMissing' });
    const other = await stage.deployment({ image: 'colony-test:nowhere', imagePullPolicy: 'Never' });
    await one.change({ image: 'colony-test:v1' });
    await one.ready();
    await one.runs(1);
    await Promise.all([one.ends(), other.ends()]);
  });

  it('goes on at once with an image that has come meanwhile, when somebody asks to look', async () => {
    const one = await stage.deployment({ image: 'colony-test:later', imagePullPolicy: 'Never' });
    await one.shows('Ready', { status: 'False', reason: 'ImageMissing' });
    await stage.engine.tag('colony-test:v1', 'colony-test', 'later');
    await stage.deployments.reconcile(one.name);
    await one.ready();
    await one.runs(1, 'colony-test:v1');
    await one.ends();
    await stage.engine.removeImage('colony-test:later');
  });

  it('is deleted in the midst of its first start and in the midst of a roll', async () => {
    const first = await stage.deployment({ replicas: 6 });
    await first.ends();
    const second = await stage.deployment({ replicas: 4 });
    await second.ready();
    await second.change({ image: 'colony-test:v2' });
    await eventually('a new one is there', async () =>
      new Set((await second.containers()).map(({ ImageID }) => ImageID)).size > 1 ? true : undefined,
    );
    await second.ends();
  });
});

it('runs fifty, and ends fifty', async () => {
  const many = await stage.deployment({ replicas: 50, memory: '16Mi' });
  await many.ready();
  await many.runs(50);
  expect(await many.costSince(0)).toBeLessThan(60);
  await many.ends();
});
