import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/resource.ts';
import { fn, Stage } from './test-double/stage.ts';

const call = (more: JsonObject = {}): JsonObject => ({ funcName: 'f', conditions: { executorType: 'q' }, ...more });

describe('attempts', () => {
  it('are repeated with growing rests until one succeeds, with the same idempotency key', () => {
    const stage = new Stage({ steps: [fn('a', { retry: { maxAttempts: 3, backoff: { initial: '2s', factor: 3 } } })] });
    stage.fail('a');
    expect(stage.steps.a).toMatchObject({ phase: 'Running', reason: 'Retrying', message: 'boom', attempts: 1 });
    expect(stage.flying).toEqual([]);
    expect(stage.plan.wakeAt).toBe(stage.now + 2_000);
    stage.wait(2_000).fail('a');
    expect(stage.plan.wakeAt).toBe(stage.now + 6_000);
    stage.wait(6_000).land('a');
    expect(stage.steps.a).toMatchObject({ phase: 'Succeeded', attempts: 3 });
    expect(stage.flightsOf('a').map(({ key, input }) => [key, input.attempt, input.idempotencyKey])).toEqual([
      ['step/a/a1', 1, 'u1/a'],
      ['step/a/a2', 2, 'u1/a'],
      ['step/a/a3', 3, 'u1/a'],
    ]);
  });

  it('end when they are used up, or at once by a failure that is final', () => {
    const stage = new Stage({
      failFast: false,
      onFailure: { retry: { maxAttempts: 2, backoff: 'exponential' } },
      steps: [fn('a'), fn('b')],
    });
    stage.fail('a').fail('b', 'BadInput', { isFinal: true });
    expect(stage.phases).toEqual({ a: 'Running', b: 'Failed' });
    stage.wait(1_000).fail('a');
    expect(stage.status).toMatchObject({ phase: 'Failed', message: 'a failed: boom; b failed: boom' });
    expect(stage.steps.a).toMatchObject({ phase: 'Failed', attempts: 2, reason: 'Error' });
  });

  it('whose worker died do not count, and fly again at once', () => {
    const stage = new Stage({ steps: [fn('a', { heartbeat: '5s' })] });
    stage.fail('a', 'Lost').fail('a', 'Lost');
    expect(stage.flying).toEqual(['a']);
    expect(stage.flightsOf('a').map(({ key }) => key)).toEqual(['step/a/a1', 'step/a/a1.1', 'step/a/a1.2']);
    expect(stage.flightsOf('a').map(({ input }) => input.attempt)).toEqual([1, 1, 1]);
    expect(stage.flightsOf('a').map(({ summary }) => summary)).toEqual(['a: function', 'a: function, again', 'a: function, again']);
    expect(stage.land('a').phase).toBe('Succeeded');
  });

  it('wait for an executor for as long as it takes, and say so', () => {
    const stage = new Stage({ steps: [fn('a')] });
    expect(stage.log[0]?.timeouts.scheduleToStartMs).toBe(30_000);
    stage.fail('a', 'ExecutorUnavailable', { message: 'nobody on task queue q took the work within 30 s' });
    expect(stage.steps.a).toMatchObject({ phase: 'Pending', reason: 'ExecutorUnavailable' });
    expect(stage.conditionOf('ExecutorUnavailable')?.status).toBe('True');
    expect(stage.flying).toEqual(['a']);
    expect(stage.log[1]?.timeouts.scheduleToStartMs).toBeUndefined();
    stage.land('a');
    expect(stage.conditionOf('ExecutorUnavailable')).toBeUndefined();
  });

  it.each([60, '${params.minute}'])('give up on an executor when the function may not wait longer: %s', (maxwaittime) => {
    const stage = new Stage({ params: { minute: 60 }, steps: [{ name: 'a', functionSpec: call({ maxwaittime }) }] });
    expect(stage.log[0]?.timeouts.scheduleToStartMs).toBe(30_000);
    stage.fail('a', 'ExecutorUnavailable');
    expect(stage.steps.a).toMatchObject({ phase: 'Pending', reason: 'ExecutorUnavailable' });
    expect(stage.log[1]?.timeouts.scheduleToStartMs).toBe(30_000);
    stage.fail('a', 'ExecutorUnavailable', { message: 'nobody on task queue q took the work within 30 s' });
    expect(stage.status).toMatchObject({ phase: 'Failed' });
    const message = 'nobody on task queue q took the work within its maxwaittime of 60 s';
    expect(stage.steps.a).toMatchObject({ phase: 'Failed', reason: 'ExecutorUnavailable', message });
  });

  it.each([3, '${params.few}'])('give up at once when that is less than what is waited before anybody is missed: %s', (maxwaittime) => {
    const stage = new Stage({ params: { few: 3 }, steps: [{ name: 'a', functionSpec: call({ maxwaittime, maxretries: 2 }) }] });
    expect(stage.log[0]?.timeouts.scheduleToStartMs).toBe(3_000);
    stage.fail('a', 'ExecutorUnavailable');
    expect(stage.steps.a).toMatchObject({ phase: 'Failed', reason: 'ExecutorUnavailable', attempts: 1 });
    expect(stage.log).toHaveLength(1);
  });

  it('wait for another executor for their whole time when one has died over them', () => {
    const stage = new Stage({ steps: [{ name: 'a', functionSpec: call({ maxwaittime: 60 }) }] });
    stage.fail('a', 'Lost');
    expect(stage.log[1]?.timeouts.scheduleToStartMs).toBe(60_000);
    stage.fail('a', 'ExecutorUnavailable');
    expect(stage.phase).toBe('Failed');
  });

  it.each(['maxwaittime', 'maxexectime'])('whose %s a template has filled with something else have failed', (field) => {
    const stage = new Stage({ params: { w: 'soon' }, steps: [{ name: 'a', functionSpec: call({ [field]: '${params.w}' }) }] });
    expect(stage.steps.a).toMatchObject({ reason: 'TemplateFailed', message: `${field} must be a number of seconds (got "soon")` });
  });

  it('of a function that nobody knows are tried again with growing rests of at most a minute, uncounted', () => {
    const stage = new Stage({ steps: [fn('a')] });
    const message = 'Activity function a is not registered on this Worker, available activities: ["b"]';
    const rests: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      stage.fail('a', 'NotFoundError', { message });
      expect(stage.steps.a).toMatchObject({ phase: 'Pending', reason: 'FunctionUnknown', message });
      rests.push((stage.plan.wakeAt ?? 0) - stage.now);
      stage.wait(60_000);
    }
    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(stage.land('a').phase).toBe('Succeeded');
    expect(stage.steps.a?.attempts).toBe(1);
  });

  it('have the limits of the documents: -1 is none, and maxretries counts those after the first', () => {
    const stage = new Stage({
      steps: [
        { name: 'a', functionSpec: call({ maxexectime: -1, maxretries: 1 }) },
        { name: 'b', functionSpec: call({ maxexectime: 5, maxretries: -1 }) },
      ],
    });
    expect(stage.log.map(({ timeouts }) => timeouts.startToCloseMs)).toEqual([365 * 86_400_000, 5_000]);
    for (let round = 0; round < 30; round += 1) stage.fail('b').wait(300_000);
    expect(stage.steps.b?.phase).toBe('Running');
    stage.fail('a').wait(1_000).fail('a');
    expect(stage.steps.a?.phase).toBe('Failed');
  });

  it('answer with no more than can be handed on', () => {
    const stage = new Stage({ steps: [fn('a')] });
    stage.land('a', { text: 'x'.repeat(40_000) });
    expect(stage.steps.a).toMatchObject({ phase: 'Failed', reason: 'OutputTooLarge' });
  });
});

describe('outputs', () => {
  it('go into what later steps do, in their type', () => {
    const stage = new Stage({
      params: { to: 'wh' },
      steps: [
        fn('extract-data', { outputs: { rows: '${result.count}', file: '${result.path}.csv' } }),
        {
          name: 'load',
          functionSpec: call({
            args: ['${steps.extract-data.outputs.rows}'],
            kwargs: { from: '${steps.extract-data.outputs.file} to ${params.to}', run: '${run.name}' },
          }),
        },
      ],
      outputs: { total: '${steps.extract-data.outputs.rows + 1}' },
    });
    stage.land('extract-data', { count: 3, path: '/tmp/x' });
    expect(stage.log[1]?.input).toMatchObject({ args: [3], kwargs: { from: '/tmp/x.csv to wh', run: 'r1' } });
    stage.land('load');
    expect(stage.status).toMatchObject({ phase: 'Succeeded', outputs: { total: 4 } });
    expect(stage.steps['extract-data']?.outputs).toEqual({ rows: 3, file: '/tmp/x.csv' });
  });

  it('of a skipped step are empty', () => {
    const stage = new Stage({
      params: { on: false },
      steps: [
        fn('a', { when: 'params.on' }),
        { name: 'b', dependsOn: ['a'], functionSpec: call({ kwargs: { n: 'n=${steps.a.outputs.n}', s: '${steps.a.status}' } }) },
      ],
    });
    expect(stage.phases).toEqual({ a: 'Skipped', b: 'Running' });
    expect(stage.log[0]?.input.kwargs).toEqual({ n: 'n=', s: 'Skipped' });
  });

  it('that are not there fail the step that needs them, with the reason', () => {
    const stage = new Stage({ steps: [fn('a'), { name: 'b', functionSpec: call({ kwargs: { n: '${steps.a.outputs.n}' } }) }] });
    stage.land('a', {});
    expect(stage.steps.b).toMatchObject({ phase: 'Failed', reason: 'TemplateFailed', message: 'steps.a.outputs.n has no value' });
    expect(stage.phase).toBe('Failed');
  });

  it('that are long are cut in the status, and handed on whole', () => {
    const text = 'x'.repeat(9_000);
    const stage = new Stage({ steps: [fn('a'), { name: 'b', functionSpec: call({ kwargs: { text: '${steps.a.outputs.text}' } }) }] });
    stage.land('a', { text, list: Array.from({ length: 3_000 }, () => 1) });
    expect(stage.steps.a?.outputs).toEqual({ '…': expect.stringMatching(/^too large to be shown \(\d+ bytes\)$/) });
    expect(stage.log[1]?.input.kwargs).toEqual({ text });
  });
});

describe('conditions and dependencies', () => {
  it('a failure that another step waits for by an expression is taken care of', () => {
    const stage = new Stage({
      steps: [fn('a'), fn('fix', { depends: 'a.Failed' }), fn('go', { depends: 'a.Succeeded || fix.Succeeded' })],
    });
    stage.fail('a');
    expect(stage.phases).toEqual({ a: 'Failed', fix: 'Running', go: 'Pending' });
    stage.land('fix').land('go');
    expect(stage.status).toMatchObject({ phase: 'Succeeded', progress: '2/3' });
  });

  it('failFast lets what runs go on and starts nothing new; without it other branches go on', () => {
    const steps = [fn('a'), fn('b'), fn('c', { dependsOn: ['b'] }), fn('d', { dependsOn: ['a'] })];
    const fast = new Stage({ steps });
    fast.fail('a');
    expect(fast.flying).toEqual(['b']);
    fast.land('b');
    expect(fast.phases).toEqual({ a: 'Failed', b: 'Succeeded', c: 'Omitted', d: 'Omitted' });
    expect(fast.steps.d).toMatchObject({ reason: 'DependencyUnmet', message: 'a has failed.' });
    const slow = new Stage({ failFast: false, steps });
    slow.fail('a').land('b').land('c');
    expect(slow.phases).toEqual({ a: 'Failed', b: 'Succeeded', c: 'Succeeded', d: 'Omitted' });
  });

  it('abortRunning cancels what runs', () => {
    const stage = new Stage({ failFast: { abortRunning: true }, steps: [fn('a'), fn('b')] });
    stage.fail('a');
    expect(stage.flying).toEqual([]);
    expect(stage.phase).toBe('Running');
    stage.drop('b');
    expect(stage.status).toMatchObject({ phase: 'Failed', message: 'a failed: boom' });
    expect(stage.phases).toEqual({ a: 'Failed', b: 'Cancelled' });
  });

  it('a condition that cannot be computed fails the step, and stays so', () => {
    const stage = new Stage({ params: { n: 'x' }, steps: [fn('a', { when: 'params.n > 2' })] });
    expect(stage.steps.a).toMatchObject({ phase: 'Failed', reason: 'ConditionFailed' });
    stage.pass();
    expect(stage.log).toEqual([]);
    expect(stage.phase).toBe('Failed');
  });
});

describe('loops', () => {
  it('go over items, at most so many at once, and collect what was said', () => {
    const stage = new Stage({
      steps: [
        {
          name: 'each',
          withItems: [{ id: 'x' }, { id: 'y' }, { id: 'z' }],
          parallelism: 2,
          functionSpec: call({ kwargs: { id: '${item.id}', at: '${index}' } }),
        },
        { name: 'sum', functionSpec: call({ args: ['${steps.each.outputs.n}'] }) },
      ],
    });
    expect(stage.flying).toEqual(['each[0]', 'each[1]']);
    expect(stage.log[1]?.input).toMatchObject({ kwargs: { id: 'y', at: 1 }, idempotencyKey: 'u1/each[1]' });
    stage.land('each[1]', { n: 2 });
    expect(stage.flying).toEqual(['each[0]', 'each[2]']);
    stage.land('each[0]', { n: 1 }).land('each[2]', { n: 3 });
    expect(stage.steps.each).toMatchObject({ phase: 'Succeeded', iterations: { total: 3, succeeded: 3 } });
    expect(stage.flightsOf('sum')[0]?.input.args).toEqual([[1, 2, 3]]);
  });

  it.each([
    { name: 'a list as JSON text', loop: { withParam: '[1, "b"]' }, items: [1, 'b'] },
    { name: 'a list that is computed', loop: { withItems: '${params.list}' }, items: [7, 8] },
    { name: 'numbers', loop: { withSequence: { start: 3, end: 5 } }, items: [3, 4, 5] },
    { name: 'numbers backwards', loop: { withSequence: { start: '${params.two}', end: 0 } }, items: [2, 1, 0] },
    {
      name: 'so many numbers, formatted',
      loop: { withSequence: { count: '${params.two}', format: 'part-%03d' } },
      items: ['part-000', 'part-001'],
    },
    { name: 'a condition on the item', loop: { withItems: [1, 2, 3], when: 'item != 2' }, items: [1, 3] },
  ])('go over $name', ({ loop, items }) => {
    const stage = new Stage({
      params: { list: [7, 8], two: 2 },
      steps: [{ name: 'e', ...loop, functionSpec: call({ args: ['${item}'] }) }],
    });
    expect(stage.log.map(({ input }) => (input.args as unknown[])[0])).toEqual(items);
  });

  it('over nothing are skipped', () => {
    const stage = new Stage({ steps: [fn('e', { withItems: [] }), fn('b', { dependsOn: ['e'] })] });
    expect(stage.steps.e).toMatchObject({ phase: 'Skipped', reason: 'EmptyLoop' });
    expect(stage.flying).toEqual(['b']);
  });

  it('of too many iterations fail with a sentence', () => {
    const stage = new Stage({
      failFast: false,
      params: { n: 600 },
      steps: [
        fn('e', { withSequence: { count: '${params.n * 2}' } }),
        fn('f', { withSequence: { count: 600 }, parallelism: 1 }),
        fn('g', { withSequence: { count: 600 }, parallelism: 1 }),
      ],
    });
    expect(stage.steps.e).toMatchObject({
      phase: 'Failed',
      reason: 'LoopFailed',
      message: 'the sequence has 1200 numbers; at most 1000 iterations are allowed',
    });
    expect(stage.steps.f?.phase).toBe('Running');
    expect(stage.steps.g).toMatchObject({
      phase: 'Failed',
      message: 'With its 600 iterations the loops of this run have 1200; at most 1000 in all are allowed.',
    });
  });

  it('of more than fifty iterations are shown as counts and those that failed', () => {
    const stage = new Stage({ failFast: false, steps: [fn('e', { withSequence: { count: 60 }, parallelism: 60 })] });
    for (let index = 0; index < 60; index += 1) index % 20 === 7 ? stage.fail(`e[${index}]`) : stage.land(`e[${index}]`);
    expect(stage.phases).toEqual({ e: 'Failed', 'e[7]': 'Failed', 'e[27]': 'Failed', 'e[47]': 'Failed' });
    expect(stage.steps.e?.iterations).toEqual({ total: 60, succeeded: 57, failed: 3, failedIndices: [7, 27, 47] });
    expect(stage.status).toMatchObject({ phase: 'Failed', progress: '57/60' });
    expect(stage.log).toHaveLength(60);
  });
});

describe('nested steps', () => {
  it('have paths, see what is outside, and end in time', () => {
    const stage = new Stage({
      params: { x: 'v' },
      failFast: false,
      steps: [
        {
          name: 'g',
          timeout: '1m',
          outputs: { n: '${steps.b.outputs.n}' },
          steps: [{ name: 'b', functionSpec: call({ kwargs: { a: '${steps.a.outputs.n}', x: '${params.x}' } }) }],
        },
        fn('a'),
        { name: 'late', timeout: '1m', steps: [fn('c')] },
        { name: 'after', functionSpec: call({ args: ['${steps.g.outputs.n}'] }) },
      ],
    });
    expect(stage.flying).toEqual(['a', 'late.c']);
    stage.land('a', { n: 1 });
    expect(stage.flightsOf('g.b')[0]?.input).toMatchObject({ kwargs: { a: 1, x: 'v' }, step: 'g.b' });
    stage.land('g.b', { n: 2 });
    expect(stage.flightsOf('after')[0]?.input.args).toEqual([2]);
    stage.land('after').wait(61_000);
    expect(stage.steps.late).toMatchObject({ phase: 'Failed', reason: 'TimedOut' });
    stage.drop('late.c');
    expect(stage.phases).toMatchObject({ g: 'Succeeded', late: 'Failed', 'late.c': 'Cancelled' });
    expect(stage.phase).toBe('Failed');
  });
});
