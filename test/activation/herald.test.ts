import { describe, expect, it } from 'vitest';
import { Run, type RunOptions, updateJob } from './run.ts';
import { ownerId, runOfSteps, stepsDecider, stepsRequest } from './steps.ts';

const born = async (more: Partial<RunOptions> = {}): Promise<Run> => {
  const run = await Run.start({ ...runOfSteps, ...more }, [updateJob('apply', stepsRequest({ a: [] }, { isOwned: true }), 'u1')]);
  await run.think();
  return run;
};

const landAll = async (run: Run): Promise<void> => {
  for (const { seq } of [...run.activities.values()]) await run.land(seq, {});
  await run.think();
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
    await run.arrive(seq ?? 0, 'no such workflow');
    await run.signal('reconcile');
    await run.think();
    expect(run.telling).toBeUndefined();
    expect(run.signals.size).toBe(0);
    expect(run.end).toBeUndefined();
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
