import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/resource.ts';
import { fn, Stage } from './test-double/stage.ts';

const run = (name: string, more: JsonObject = {}): JsonObject => ({ name, run: { command: name }, ...more });
const refunded = { compensate: { run: { command: 'refund' } } };
const ask = { name: 'ask', suspend: {}, dependsOn: ['pay'] };

/** Up to which attempt the ends of what ran do not count, for each that took off. */
const heard = (stage: Stage, path: string) => stage.flightsOf(path).map(({ input }) => [input.attempt, input.heard]);
const keys = (stage: Stage, path: string) => stage.flightsOf(path).map(({ input }) => input.idempotencyKey);

/** Rejected once after all was paid, undone, and begun again. */
function rejectedOnce(spec: JsonObject): Stage {
  const stage = new Stage(spec);
  if (stage.air.has('cache/pay')) stage.land('cache/pay', { hit: false });
  stage.land('pay', { id: 1 });
  if (stage.air.has('keep/pay')) stage.land('keep/pay', { written: true });
  stage.command('reject', { step: 'ask' });
  if (stage.air.has('keep/pay')) stage.land('keep/pay', { written: true });
  stage.land('undo.pay').land('exit.bye');
  stage.command('retry');
  return stage;
}

describe('a step that was undone', () => {
  const spec = { steps: [run('pay', refunded), ask], onExit: run('bye') };

  it('is run anew after a retry, and so are its undo and what is done at the end: no end of before is taken for theirs', () => {
    const stage = rejectedOnce(spec);
    stage.land('pay');
    stage.command('reject', { step: 'ask' });
    stage.land('undo.pay').land('exit.bye');
    for (const path of ['pay', 'undo.pay', 'exit.bye']) {
      expect(heard(stage, path), path).toEqual([
        [1, undefined],
        [2, 1],
      ]);
    }
  });

  it('has another idempotency key then, and so have its undo and what is done at the end', () => {
    const stage = rejectedOnce(spec);
    stage.land('pay');
    stage.command('reject', { step: 'ask' });
    stage.land('undo.pay').land('exit.bye');
    for (const path of ['pay', 'undo.pay', 'exit.bye']) expect(keys(stage, path), path).toEqual([`u1/${path}`, `u1/${path}/2`]);
  });

  it('keeps that key while it only fails, also over a further retry', () => {
    const stage = rejectedOnce(spec);
    stage.fail('pay').land('exit.bye');
    stage.command('retry');
    stage.fail('pay', 'Lost').land('pay');
    expect(keys(stage, 'pay')).toEqual(['u1/pay', 'u1/pay/2', 'u1/pay/2', 'u1/pay/2']);
    expect(keys(stage, 'exit.bye')).toEqual(['u1/exit.bye', 'u1/exit.bye/2']);
  });

  it('is not answered from the cache any more, which forgets it and is told what it brings anew', () => {
    const stage = rejectedOnce({ ...spec, steps: [fn('pay', { ...refunded, cache: { key: 'k' } }), ask] });
    const kept = () => stage.log.filter(({ about }) => about === 'keep/pay').map(({ input }) => [input.value, input.ttlMs]);
    const DAY_MS = 86_400_000;
    expect(kept()).toEqual([
      [{ id: 1 }, DAY_MS],
      [null, 0],
    ]);
    expect(stage.flying).toEqual(['pay']);
    stage.land('pay', { id: 2 });
    expect(kept().at(-1)).toEqual([{ id: 2 }, DAY_MS]);
    expect(stage.log.filter(({ activity }) => activity === 'readCache')).toHaveLength(1);
  });

  it('stays in the cache while somebody skips its undo', () => {
    const stage = new Stage({ steps: [fn('pay', { ...refunded, cache: { key: 'k' } }), ask] });
    stage.land('cache/pay', { hit: false }).land('pay', { id: 1 }).land('keep/pay');
    stage.command('reject', { step: 'ask' });
    stage.land('keep/pay');
    stage.command('skip', { step: 'undo.pay' });
    stage.drop('undo.pay');
    expect(stage.log.at(-1)).toMatchObject({ about: 'keep/pay', input: { value: { id: 1 } } });
    expect(stage.land('keep/pay').phase).toBe('Failed');
  });

  it('under an earlier version of colony goes on with the key that it has, and is run anew all the same', () => {
    const stage = rejectedOnce(spec);
    const { rounds: _rounds, ...before } = (stage.observed['control/retry']?.value ?? {}) as JsonObject;
    stage.observed['control/retry'] = { key: 'command', generation: 1, at: stage.now, value: before };
    stage.fail('pay', 'Lost');
    expect(stage.flightsOf('pay').at(-1)?.input).toMatchObject({ idempotencyKey: 'u1/pay', heard: 1 });
  });
});

it('a second retry is refused while nothing has failed, also when something was done at an earlier end', () => {
  const stage = new Stage({ steps: [fn('a')], onExit: fn('bye') });
  stage.fail('a').land('exit.bye');
  stage.command('retry');
  expect(stage.command('retry')).toMatchObject({ message: 'no step has failed' });
});

describe('a step that begins again after a retry without having been undone', () => {
  it('has the same idempotency key, and is still answered by an end that nobody has heard of', () => {
    const stage = new Stage({ steps: [run('pay')] });
    stage.fail('pay', 'TimedOut');
    stage.command('retry');
    stage.fail('pay', 'TimedOut');
    stage.command('retry');
    expect(keys(stage, 'pay')).toEqual(['u1/pay', 'u1/pay', 'u1/pay']);
    expect(heard(stage, 'pay')).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
    ]);
  });

  it('is run anew when its end was heard, but could not be used', () => {
    const stage = new Stage({ steps: [run('pay', { outputs: { id: '${result.none}' } })] });
    stage.land('pay', { exitCode: 0, output: '' });
    expect(stage.steps.pay).toMatchObject({ reason: 'OutputsFailed' });
    stage.command('retry');
    expect(heard(stage, 'pay').at(-1)).toEqual([2, 1]);
    expect(keys(stage, 'pay')).toEqual(['u1/pay', 'u1/pay']);
  });
});

describe('what is done at the end', () => {
  it('is done anew after it was skipped once: what it was before that does not come back', () => {
    const stage = new Stage({ steps: [fn('a')], onExit: [fn('hold'), fn('bye', { dependsOn: ['hold'] })] });
    stage.fail('a').land('exit.hold').land('exit.bye');
    stage.command('retry');
    stage.fail('a');
    stage.command('skip', { step: 'exit.bye' });
    stage.land('exit.hold');
    expect(stage.phases).toMatchObject({ 'exit.bye': 'Skipped' });
    stage.command('retry');
    stage.land('a').land('exit.hold').land('exit.bye');
    expect(stage.phase).toBe('Succeeded');
  });
});

describe('a long loop at the end', () => {
  it('is done anew after a retry as a whole, although its status does not show all of it', () => {
    const stage = new Stage({ steps: [fn('a')], onExit: fn('tell', { withSequence: { count: 60 } }) });
    const tellAll = () => Array.from({ length: 60 }, (_, index) => stage.land(`exit.tell[${index}]`));
    stage.fail('a');
    tellAll();
    expect(stage.phase).toBe('Failed');
    stage.command('retry');
    stage.land('a');
    tellAll();
    expect(stage.phase).toBe('Succeeded');
    expect(keys(stage, 'exit.tell[7]')).toEqual(['u1/exit.tell[7]', 'u1/exit.tell[7]/2']);
  });
});
