import { describe, expect, it } from 'vitest';
import { Run, updateJob } from './run.ts';
import { runOfSteps, stepsRequest } from './steps.ts';

const GATHER = { a: [], b: [], c: [], d: ['a', 'b', 'c'] };

const started = async (steps: Readonly<Record<string, readonly string[]>>, of = { isOwned: false }): Promise<Run> => {
  const run = await Run.start(runOfSteps, [updateJob('apply', stepsRequest(steps, of), 'u1')]);
  await run.think();
  return run;
};

const flying = (run: Run): readonly string[] => [...run.activities.values()].map(({ input }) => String(input.step)).sort();

const seqOf = (run: Run, step: string): number => {
  const found = [...run.activities.values()].find(({ input }) => input.step === step);
  if (!found) throw new Error(`${step} is not in the air`);
  return found.seq;
};

const progress = (run: Run): unknown => (run.memo.status as { progress?: unknown } | undefined)?.progress;

describe('landings that a plan waits for', () => {
  it('begin nothing, and are not thought about one by one, before so many have landed', async () => {
    const run = await started(GATHER);
    const decisions = run.openDecisions;
    expect(flying(run)).toEqual(['a', 'b', 'c']);
    await run.land(seqOf(run, 'a'), {});
    await run.land(seqOf(run, 'b'), {});
    expect(run.openDecisions).toBe(decisions);
    expect(flying(run)).toEqual(['c']);
    await run.land(seqOf(run, 'c'), {});
    await run.think();
    expect(run.openDecisions).toBe(decisions + 1);
    expect(flying(run)).toEqual(['d']);
    await run.replay();
  });

  it('are shown within a second, all that landed until then by one pass', async () => {
    const run = await started(GATHER);
    const decisions = run.openDecisions;
    const before = progress(run);
    await run.land(seqOf(run, 'a'), {});
    const landedAt = run.now;
    await run.land(seqOf(run, 'b'), {});
    expect(run.timers.size).toBe(1);
    await run.ring();
    await run.think();
    expect(run.now - landedAt).toBeLessThanOrEqual(1_100);
    expect(run.openDecisions).toBe(decisions + 1);
    expect(progress(run)).not.toEqual(before);
    expect(progress(run)).toBe('2/4');
    expect(flying(run)).toEqual(['c']);
    await run.replay();
  });

  it('are thought about at once when one lands badly', async () => {
    const run = await started(GATHER);
    const decisions = run.openDecisions;
    await run.crash(seqOf(run, 'a'), 'Boom', 'it broke');
    expect(run.openDecisions).toBe(decisions + 1);
    await run.think();
    await run.replay();
  });

  it('are shown within a second also when they come while the owner is being told', async () => {
    const run = await started(GATHER, { isOwned: true });
    expect(run.telling?.news).toMatchObject({ phase: 'Running' });
    await run.land(seqOf(run, 'a'), {});
    const landedAt = run.now;
    run.now += 500;
    await run.tell();
    await run.ring();
    await run.think();
    expect(progress(run)).toBe('1/4');
    expect(run.now - landedAt).toBeLessThanOrEqual(1_100);
    await run.replay();
  });

  it('are thought about within a second, and shown within another, when they come while a decision is being made', async () => {
    const run = await started(GATHER);
    run.now += 5_000;
    await run.signal('reconcile');
    await run.land(seqOf(run, 'a'), {});
    const landedAt = run.now;
    run.now += 500;
    await run.think();
    const decisions = run.openDecisions;
    await run.ring();
    await run.think();
    expect(run.openDecisions).toBe(decisions + 1);
    expect(run.now - landedAt).toBeLessThanOrEqual(1_100);
    await run.ring(); // the decision was shown after the landing, and details are shown once a second
    await run.think();
    expect(progress(run)).toBe('1/4');
    expect(run.now - landedAt).toBeLessThanOrEqual(2_100);
    expect(flying(run)).toEqual(['b', 'c']);
    await run.replay();
  });
});
