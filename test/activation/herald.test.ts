import { describe, expect, it } from 'vitest';
import { Run, type RunOptions, updateJob } from './run.ts';
import { ownerId, runOfSteps, stepsDecider, stepsRequest } from './steps.ts';

/** In the words of the SDK. */
const GONE = 'Unable to signal external workflow because it was not found';
const FULL = 'Unable to signal external workflow because The per-workflow signal limit was exceeded';

const born = async (more: Partial<RunOptions> = {}): Promise<Run> => {
  const run = await Run.start({ ...runOfSteps, ...more }, [updateJob('apply', stepsRequest({ a: [] }, { isOwned: true }), 'u1')]);
  await run.think();
  return run;
};

const landAll = async (run: Run): Promise<void> => {
  for (const { seq } of [...run.activities.values()]) await run.land(seq, {});
  await run.think();
};

/** Lets time pass until nothing is waited for, or the server is to bring something. */
const ringAll = async (run: Run): Promise<void> => {
  while (run.timers.size > 0 && run.signals.size === 0) {
    await run.ring();
    await run.think();
  }
};

const signalled = (run: Run): unknown[] => [...run.signals.values()].map(({ news }) => news);

/** Deleted, and about to say that it is gone. */
const leaving = async (): Promise<Run> => {
  const run = await born();
  await run.tell();
  await landAll(run);
  await run.tell();
  await run.update('delete', {}, 'u2');
  await run.think();
  expect(run.telling?.news).toMatchObject({ gone: true });
  return run;
};

describe('news to the owner', () => {
  it('is brought by the worker, and by nobody else when that works', async () => {
    const run = await born();
    expect(run.telling).toMatchObject({ to: ownerId, news: { phase: 'Running' } });
    await run.tell();
    expect(run.signals.size).toBe(0);
    await landAll(run);
    expect(run.telling).toMatchObject({ to: ownerId, news: { phase: 'Succeeded', ready: 'True' } });
    await run.tell();
    expect(run.signals.size).toBe(0);
    await run.replay();
  });

  it('that the worker could not bring goes once, by a signal that the server keeps', async () => {
    const run = await born();
    const news = run.telling?.news;
    await run.tell('the server does not answer');
    expect([...run.signals.values()]).toMatchObject([{ to: ownerId, name: 'child', news }]);
    await run.signal('reconcile');
    await run.think();
    expect(run.telling).toBeUndefined();
    expect(run.signals.size).toBe(1);
    await run.replay();
  });

  it('does not hold up the loop while the server brings it', async () => {
    const run = await born();
    await run.tell('the server does not answer');
    await landAll(run);
    expect(run.telling?.news).toMatchObject({ phase: 'Succeeded' });
    expect(signalled(run)).toMatchObject([{ phase: 'Running' }]);
    await run.replay();
  });

  it('keeps its order when both could not be brought by the worker, and the newer one can be told by its version', async () => {
    const run = await born();
    await run.tell('the server does not answer');
    await landAll(run);
    await run.tell('the server does not answer');
    expect(signalled(run)).toMatchObject([{ phase: 'Running' }, { phase: 'Succeeded' }]);
    const [first, second] = [...run.signals.values()].map(({ news }) => Number(news.resourceVersion));
    expect(second).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY);
    await run.replay();
  });

  it('is not told again when the server cannot bring it either, because the owner is gone', async () => {
    const run = await born();
    await run.tell('the server does not answer');
    const [seq] = run.signals.keys();
    await run.arrive(seq ?? 0, GONE);
    await run.signal('reconcile');
    await run.think();
    expect(run.telling).toBeUndefined();
    await ringAll(run);
    expect(run.signals.size).toBe(0);
    expect(run.end).toBeUndefined();
    await run.replay();
  });

  it('is brought again and again when the server could not for another reason, ever more rarely, and holds up nothing', async () => {
    const run = await born();
    const news = run.telling?.news;
    await run.tell('the server does not answer');
    const delays: number[] = [];
    for (let tries = 0; tries < 12; tries += 1) {
      const [signal] = run.signals.values();
      expect(signal).toMatchObject({ to: ownerId, name: 'child', news });
      await run.arrive(signal?.seq ?? 0, FULL);
      const before = run.now;
      await run.signal('reconcile');
      await run.think();
      expect(run.telling).toBeUndefined();
      expect(run.signals.size).toBe(0);
      await ringAll(run);
      delays.push(Math.round((run.now - before) / 1_000));
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    const [last] = run.signals.keys();
    await run.arrive(last ?? 0);
    await ringAll(run);
    expect(run.signals.size).toBe(0);
    await run.replay();
  });

  it('is not brought again when the owner has heard newer news meanwhile', async () => {
    const run = await born();
    await run.tell('the server does not answer');
    const [seq] = run.signals.keys();
    await run.arrive(seq ?? 0, FULL);
    expect(run.timers.size).toBe(1);
    await landAll(run);
    expect(run.telling?.news).toMatchObject({ phase: 'Succeeded' });
    await run.tell();
    expect(run.timers.size).toBe(0);
    expect(run.signals.size).toBe(0);
    await run.replay();
  });

  it('that nobody has heard yet is told by the next run', async () => {
    const options = { ...runOfSteps, decide: stepsDecider({ events: 40 }) };
    const run = await born(options);
    await run.tell();
    await landAll(run);
    await run.tell('the server does not answer');
    const [seq] = run.signals.keys();
    await run.arrive(seq ?? 0, FULL);
    run.historyLength = 50;
    await run.signal('reconcile');
    await run.think();
    expect(run.end).toMatchObject({ kind: 'continued' });
    await run.replay();
    const next = await Run.start({ ...options, input: run.end?.value });
    await next.think();
    expect(next.telling).toMatchObject({ to: ownerId, news: { phase: 'Succeeded' } });
    await next.tell();
    await next.signal('reconcile');
    await next.think();
    expect(next.telling).toBeUndefined();
    await next.replay();
  });

  it('does not keep a resource from ending: that it is gone can be seen', async () => {
    const run = await leaving();
    await run.tell('the server does not answer');
    const [seq] = run.signals.keys();
    await run.arrive(seq ?? 0, FULL);
    expect(run.end).toMatchObject({ kind: 'completed' });
    await run.replay();
  });

  it('has arrived before the resource ends', async () => {
    const run = await leaving();
    await run.tell('the server does not answer');
    expect(run.end).toBeUndefined();
    const [seq] = run.signals.keys();
    await run.arrive(seq ?? 0);
    expect(run.end).toMatchObject({ kind: 'completed' });
    await run.replay();
  });

  it('leaves no update unanswered that comes meanwhile, when the run is to hand over', async () => {
    const run = await born({ decide: stepsDecider({ events: 40 }) });
    await run.tell();
    run.historyLength = 50;
    await landAll(run);
    expect(run.telling?.news).toMatchObject({ phase: 'Succeeded' });
    await run.update('apply', { metadata: { labels: { a: 'b' } } }, 'u2');
    await run.tell();
    await run.think();
    expect(run.answers.get('u2')?.value).toMatchObject({ operation: 'configured' });
    expect(run.end).toMatchObject({ kind: 'continued' });
    await run.replay();
  });

  it('leaves no update unanswered that comes meanwhile, when the resource is to end', async () => {
    for (const failure of [undefined, 'the server does not answer']) {
      const run = await leaving();
      if (failure !== undefined) await run.tell(failure);
      await run.update('apply', { metadata: { labels: { a: 'b' } } }, 'u3');
      if (failure === undefined) await run.tell();
      for (const seq of [...run.signals.keys()]) await run.arrive(seq);
      await run.think();
      expect(run.answers.get('u3')?.failure).toBe('Deleting');
      expect(run.end).toMatchObject({ kind: 'completed' });
      await run.replay();
    }
  });
});
