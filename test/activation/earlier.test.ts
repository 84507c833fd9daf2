import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packed, type Recording, unpacked } from './recording.ts';
import { Run, type RunOptions, updateJob } from './run.ts';
import { carrying, large, runOfSteps, stepsDecider, stepsRequest } from './steps.ts';

/** How runs went with the code of their day; only ever added to. */
const folder = join(import.meta.dirname, '..', 'fixtures', 'activations');

interface Earlier {
  /** The `patched` mark that makes later runs go another way: recorded with the code of the commit before it. */
  readonly mark: string;
  readonly options: RunOptions;
  readonly play: (options: RunOptions) => Promise<Run>;
}

const GATHER = { a: [], b: [], c: [], d: ['a', 'b', 'c'] };
const FAR = 'the server does not answer';
const handingOver: RunOptions = { ...runOfSteps, decide: stepsDecider({ events: 40 }) };

const earlier: Readonly<Record<string, Earlier>> = {
  'a-landing-while-the-owner-is-told': {
    mark: 'a-landing-keeps-its-alarm',
    options: runOfSteps,
    play: async (options) => {
      const run = await started(options, GATHER, true);
      await land(run, 'a');
      run.now += 500;
      await run.tell();
      for (const step of ['b', 'c']) await land(run, step);
      await run.think();
      return run;
    },
  },
  'a-landing-while-a-decision-is-made': {
    mark: 'a-landing-keeps-its-alarm',
    options: runOfSteps,
    play: async (options) => {
      const run = await started(options, GATHER, false);
      run.now += 5_000;
      await run.signal('reconcile');
      await land(run, 'a');
      run.now += 500;
      await run.think();
      for (const step of ['b', 'c']) await land(run, step);
      await run.think();
      return run;
    },
  },
  'a-word-while-it-waits-to-end': {
    mark: 'mail-before-the-end',
    options: runOfSteps,
    play: async (options) => {
      const run = await started(options, { a: [] }, true);
      await run.tell();
      await land(run, 'a');
      await run.think();
      await run.tell();
      await run.update('delete', {}, 'u2');
      await run.think();
      await run.tell(FAR);
      await run.update('apply', { metadata: { labels: { a: 'b' } } }, 'late');
      for (const seq of [...run.signals.keys()]) await run.arrive(seq);
      return run;
    },
  },
  'a-word-while-it-waits-to-hand-over': {
    mark: 'mail-before-the-end',
    options: handingOver,
    play: async (options) => {
      const run = await started(options, { a: [] }, true);
      await run.tell();
      run.historyLength = 50;
      await land(run, 'a');
      await run.think();
      await run.update('apply', { metadata: { labels: { a: 'b' } } }, 'late');
      await run.tell();
      return run;
    },
  },
  'news-that-the-server-could-not-bring': {
    mark: 'news-is-told-until-heard',
    options: runOfSteps,
    play: async (options) => {
      const run = await started(options, { a: [] }, true);
      await run.tell(FAR);
      for (const seq of [...run.signals.keys()]) await run.arrive(seq, 'Unable to signal external workflow because of something else');
      await land(run, 'a');
      await run.think();
      return run;
    },
  },
  'answers-that-are-too-much-together': {
    mark: 'what-is-kept-is-bounded',
    options: runOfSteps,
    play: async (options) => {
      const run = await started(options, { a: [], b: [], c: [], d: [], e: [], f: [], g: ['a', 'b', 'c', 'd', 'e', 'f'] }, false);
      for (const step of ['a', 'b', 'c', 'd', 'e']) await land(run, step, large(250_000));
      await run.think();
      return run;
    },
  },
  'a-run-that-began-large': {
    mark: 'a-hand-over-helps',
    options: { ...runOfSteps, ...carrying(2), bornWithBytes: 1_100_000 },
    play: async (options) => {
      const run = await Run.start(options);
      await run.think();
      await land(run, 'a');
      await run.think();
      return run;
    },
  },
  'a-state-that-no-server-takes': {
    mark: 'a-hand-over-helps',
    options: { ...runOfSteps, ...carrying(9), bornWithBytes: 1_000 },
    play: async (options) => {
      const run = await Run.start(options);
      run.historySize = 3_000_000;
      await run.think();
      await land(run, 'a');
      await run.think();
      return run;
    },
  },
};

async function started(options: RunOptions, steps: Readonly<Record<string, readonly string[]>>, isOwned: boolean): Promise<Run> {
  const run = await Run.start(options, [updateJob('apply', stepsRequest(steps, { isOwned }), 'u1')]);
  await run.think();
  return run;
}

async function land(run: Run, step: string, answer: unknown = {}): Promise<void> {
  const found = [...run.activities.values()].find(({ input }) => input.step === step);
  if (!found) throw new Error(`${step} is not in the air`);
  await run.land(found.seq, answer);
}

const fileOf = (name: string): string => join(folder, `${name}.json`);
const recorded = (name: string): Recording => unpacked(readFileSync(fileOf(name), 'utf8'));
const each = Object.entries(earlier).map(([name, one]) => ({ name, ...one }));

/**
 * To add one: build the commit before the mark (`git archive COMMIT^ | tar x -C FOLDER`, there `node scripts/build.mjs`), then here
 * `COLONY_TEST_BUNDLE=FOLDER/dist/workflow-bundle.js RECORD=the-mark npm test -- test/activation/earlier.test.ts`.
 */
if (process.env.COLONY_TEST_BUNDLE) {
  it('records what is not there yet', async () => {
    mkdirSync(folder, { recursive: true });
    const missing = each.filter(({ name, mark }) => mark === process.env.RECORD && !existsSync(fileOf(name)));
    for (const { name, options, play } of missing) writeFileSync(fileOf(name), packed((await play(options)).record()));
  });
} else {
  describe('runs from before a mark', () => {
    it('are all there', () => {
      expect(readdirSync(folder).sort()).toEqual(each.map(({ name }) => `${name}.json`).sort());
    });

    it.each(each)('go as they went then: $name', async ({ name, options }) => {
      await Run.resume(options, recorded(name));
    });

    it.each(each)('would go another way with it, so that it is really asked: $name', async ({ name, options, mark }) => {
      await expect(Run.resume(options, recorded(name), [mark])).rejects.toThrow('replays differently');
    });

    it.each(['a-word-while-it-waits-to-end', 'a-word-while-it-waits-to-hand-over'])(
      'wait for ever no longer: whose word was left lying is answered as soon as anything comes (%s)',
      async (name) => {
        const { options } = earlier[name] as Earlier;
        const run = await Run.resume(options, recorded(name));
        expect(run.answers.has('late')).toBe(false);
        await run.signal('reconcile');
        await run.think();
        expect(run.answers.has('late')).toBe(true);
      },
    );
  });
}
