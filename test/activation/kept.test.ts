import { describe, expect, it } from 'vitest';
import type { DecideRequest } from '../../definitions/core/decision.ts';
import type { ResourceEvent } from '../../definitions/core/resource.ts';
import { Run, type RunOptions, updateJob } from './run.ts';
import { carrying, large, runOfSteps, stepsRequest } from './steps.ts';

const MB = 1024 * 1024;

/** A run, and all that the decider was asked. */
const heard = async (more: Partial<RunOptions>, jobs: Parameters<typeof Run.start>[1] = []) => {
  const asked: DecideRequest[] = [];
  const options: RunOptions = { ...runOfSteps, ...more };
  const decide = (request: DecideRequest) => {
    asked.push(request);
    return options.decide(request);
  };
  const run = await Run.start({ ...options, decide }, jobs);
  await run.think();
  return { run, last: () => asked.at(-1) as DecideRequest };
};

const landAll = async (run: Run, answer: unknown = {}): Promise<void> => {
  for (const { seq } of [...run.activities.values()]) await run.land(seq, answer);
  await run.think();
};

const reasons = async (run: Run): Promise<string[]> => ((await run.query('events')) as ResourceEvent[]).map(({ reason }) => reason);

describe('answers that are kept', () => {
  it('are bounded together: one too many fails in words, those before it stay, and the resource can still be deleted', async () => {
    const steps = { a: [], b: [], c: [], d: [], e: [] };
    const { run, last } = await heard({}, [updateJob('apply', stepsRequest(steps, { isOwned: false }), 'u1')]);
    await landAll(run, large(250_000));
    expect(Object.keys(last().observed).filter((lane) => lane.startsWith('step/'))).toHaveLength(4);
    const [failing] = Object.values(last().failing);
    expect(failing).toMatchObject({ reason: 'ResultTooLarge', message: expect.stringMatching(/250\d{3} bytes .* 100\d{4}, .* 1048576/) });
    await run.update('delete', {}, 'u2');
    await run.think();
    while (!run.end && run.activities.size > 0) await landAll(run, large(250_000));
    expect(run.end).toMatchObject({ kind: 'completed' });
    await run.replay();
  });
});

describe('a hand-over', () => {
  it('waits until the run has grown, however large it began: it would be the same again at once', async () => {
    const { run } = await heard({ ...carrying(2), bornWithBytes: 1.1 * MB });
    await landAll(run);
    expect(run.end).toBeUndefined();
    run.historySize = 2.2 * MB;
    await run.signal('reconcile');
    await run.think();
    expect(run.end).toMatchObject({ kind: 'continued' });
    await run.replay();
  });

  it('is not tried with more than a server takes: that is said, and the resource lives and dies as ever', async () => {
    const { run } = await heard({ ...carrying(9), bornWithBytes: 1_000 });
    run.historySize = 3 * MB;
    await run.signal('reconcile');
    await landAll(run);
    expect(run.end).toBeUndefined();
    expect(await reasons(run)).toContain('TooLargeToHandOver');
    await run.update('apply', { metadata: { labels: { a: 'b' } } }, 'u2');
    await run.think();
    expect(run.answers.get('u2')?.value).toMatchObject({ operation: 'configured' });
    await run.update('delete', {}, 'u3');
    await run.think();
    while (!run.end && run.activities.size > 0) await landAll(run);
    expect(run.end).toMatchObject({ kind: 'completed' });
    await run.replay();
  });
});
