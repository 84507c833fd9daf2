import { describe, expect, it } from 'vitest';
import { workflowRun } from './index.ts';
import { fn, Stage } from './test-double/stage.ts';

const ask = (more = {}) => ({ name: 'ask', suspend: { message: 'Go on?', ...more } });

describe('a suspended step', () => {
  it('waits for an approval, whose values become its outputs', () => {
    const stage = new Stage({
      steps: [
        ask(),
        { name: 'b', functionSpec: { funcName: 'f', conditions: { executorType: 'q' }, args: ['${steps.ask.outputs.size}'] } },
      ],
    });
    expect(stage.phase).toBe('Suspended');
    expect(stage.steps.ask).toMatchObject({ phase: 'Suspended', message: 'Go on?' });
    expect(stage.conditionOf('Suspended')).toMatchObject({ status: 'True', reason: 'WaitingForApproval', message: 'ask: Go on?' });
    expect(stage.plan.wakeAt).toBeUndefined();
    expect(stage.command('approve', { step: 'ask', values: { size: 3 } })).toEqual({ step: 'ask', verdict: 'approve', by: 'ann' });
    expect(stage.steps.ask).toMatchObject({ phase: 'Succeeded', outputs: { size: 3, approvedBy: 'ann' } });
    expect(stage.flightsOf('b')[0]?.input.args).toEqual([3]);
  });

  it('that is rejected has failed', () => {
    const stage = new Stage({ steps: [ask()] });
    stage.command('reject', { step: 'ask', message: 'too dear' });
    expect(stage.status).toMatchObject({ phase: 'Failed', message: 'ask failed: too dear' });
  });

  it('does not take an answer before it asks, nor twice', () => {
    const stage = new Stage({ steps: [fn('a'), { ...ask(), dependsOn: ['a'] }] });
    expect(stage.command('approve', { step: 'ask' })).toEqual({
      type: 'Conflict',
      message: '"ask" does not wait for an answer; waiting: none',
    });
    stage.land('a');
    stage.command('approve', { step: 'ask' });
    expect(stage.command('reject', { step: 'ask' })).toMatchObject({ type: 'Conflict' });
  });

  it.each([
    { onTimeout: 'Fail', phase: 'Failed' },
    { onTimeout: 'Approve', phase: 'Succeeded' },
    { onTimeout: 'Skip', phase: 'Skipped' },
  ])('that nobody answers in time ends as it says: $onTimeout', ({ onTimeout, phase }) => {
    const stage = new Stage({ steps: [ask({ timeout: '1h', onTimeout })] });
    expect(stage.plan.wakeAt).toBe(stage.now + 3_600_000);
    stage.wait(3_600_000);
    expect(stage.steps.ask).toMatchObject({ phase, reason: 'TimedOut' });
    stage.pass();
    expect(stage.steps.ask?.phase).toBe(phase);
  });

  it('for a while goes on by itself', () => {
    const stage = new Stage({ steps: [ask({ duration: '10s' }), fn('b', { dependsOn: ['ask'] })] });
    stage.wait(9_999);
    expect(stage.flying).toEqual([]);
    stage.wait(1);
    expect(stage.flying).toEqual(['b']);
  });

  it('for a while says for how long and until when, asks nobody, and says afterwards that it waited', () => {
    const stage = new Stage({ params: { t: '90m' }, steps: [{ name: 'gate', suspend: { duration: '${params.t}' } }] });
    const said = { phase: 'Suspended', reason: 'WaitingForTime', message: 'Waits 90m, until 2026-01-01 01:30:00 UTC.' };
    expect(stage.steps.gate).toMatchObject(said);
    expect(stage.wait(60_000).pass().status.steps).toMatchObject({ gate: said });
    expect(stage.status).toMatchObject({ phase: 'Suspended', message: 'Waits for time to pass.' });
    expect(stage.conditionOf('Suspended')).toMatchObject({ status: 'True', reason: 'WaitingForTime', message: 'gate goes on by itself.' });
    stage.wait(3_600_000 * 2);
    expect(stage.steps.gate).toMatchObject({ phase: 'Succeeded', reason: 'TimePassed', message: 'Waited 90m.' });
    const own = new Stage({ steps: [{ name: 'gate', suspend: { duration: 90, message: 'Cools down.' } }] });
    expect(own.steps.gate?.message).toBe('Cools down. Waits 1m30s, until 2026-01-01 00:01:30 UTC.');
  });

  it.each(['duration', 'timeout'])('whose %s a template has filled with something else has failed: it would wait for ever', (field) => {
    const stage = new Stage({ params: { t: 'bananas' }, steps: [ask({ [field]: '${params.t}' })] });
    const message = `${field} must be a duration (got "bananas")`;
    expect(stage.steps.ask).toMatchObject({ phase: 'Failed', reason: 'TemplateFailed', message });
  });

  it('beside one for a while is what the run waits for', () => {
    const stage = new Stage({ steps: [{ name: 'gate', suspend: { duration: '10s' } }, ask()] });
    expect(stage.status).toMatchObject({ phase: 'Suspended', message: 'Waits for an approval.' });
    expect(stage.conditionOf('Suspended')).toMatchObject({ reason: 'WaitingForApproval', message: 'gate goes on by itself. ask: Go on?' });
  });

  it('says afterwards who approved it, or that nobody did', () => {
    const stage = new Stage({ steps: [ask(), { name: 'late', suspend: { timeout: '1h', onTimeout: 'Approve' } }] });
    stage.command('approve', { step: 'ask' });
    expect(stage.steps.ask).toMatchObject({ reason: 'Approved', message: 'Approved by ann.' });
    stage.wait(3_600_000);
    expect(stage.steps.late).toMatchObject({ reason: 'TimedOut', message: 'Nobody answered in time, which approves it.' });
  });
});

describe('pause', () => {
  it('starts nothing new, lets what runs go on, and is taken back by resume', () => {
    const stage = new Stage({ steps: [fn('a'), fn('b', { dependsOn: ['a'] })] });
    stage.command('pause');
    expect(stage.phase).toBe('Paused');
    expect(stage.flying).toEqual(['a']);
    stage.land('a');
    expect(stage.flying).toEqual([]);
    stage.command('resume');
    expect(stage.flying).toEqual(['b']);
  });

  it('lets what ran go on when its worker dies, also what had waited for one', () => {
    const stage = new Stage({ steps: [fn('a')] });
    stage.fail('a', 'ExecutorUnavailable');
    stage.command('pause');
    stage.fail('a', 'Lost');
    expect(stage.flying).toEqual(['a']);
    expect(stage.phases).toEqual({ a: 'Running' });
  });

  it('stands in the spec as well', () => {
    const stage = new Stage({ suspend: true, steps: [fn('a')] });
    expect(stage.phase).toBe('Paused');
    expect(stage.log).toEqual([]);
    stage.command('resume');
    expect(stage.spec.suspend).toBe(false);
    expect(stage.flying).toEqual(['a']);
  });

  it('is refused of a run that has ended, as cancel is, so that a retry of it does not stand still', () => {
    const stage = new Stage({ steps: [fn('a')] });
    stage.fail('a', 'Invalid');
    expect(stage.phase).toBe('Failed');
    const refusal = { type: 'Conflict', message: 'the run has ended already: it is Failed' };
    for (const command of ['pause', 'resume', 'cancel', 'terminate']) expect(stage.command(command), command).toEqual(refusal);
    stage.command('retry');
    expect(stage.flying).toEqual(['a']);
  });

  it('can be taken back also when the run has ended meanwhile, so that a retry of it goes on', () => {
    const stage = new Stage({ steps: [fn('a')] });
    stage.command('pause');
    stage.fail('a', 'Invalid');
    expect(stage.phase).toBe('Failed');
    expect(stage.command('resume')).toEqual({ paused: false });
    stage.command('retry');
    expect(stage.flying).toEqual(['a']);
  });
});

describe('cancel', () => {
  const spec = {
    steps: [
      fn('a', { compensate: { functionSpec: { funcName: 'undo_a', conditions: { executorType: 'q' } } } }),
      { ...ask(), dependsOn: ['a'] },
      fn('c', { dependsOn: ['ask'] }),
    ],
    onExit: fn('bye', { functionSpec: { funcName: 'bye', conditions: { executorType: 'q' }, args: ['${run.status}'] } }),
  };

  it('works while it is suspended or paused, undoes, and does what is done at the end', () => {
    for (const before of ['nothing', 'pause']) {
      const stage = new Stage(spec);
      stage.land('a');
      if (before === 'pause') stage.command('pause');
      stage.command('cancel', { message: 'not today' });
      expect(stage.flying).toEqual(['undo.a']);
      expect(stage.phases).toMatchObject({ ask: 'Cancelled', c: 'Omitted' });
      stage.land('undo.a');
      expect(stage.flying).toEqual(['exit.bye']);
      expect(stage.flightsOf('exit.bye')[0]?.input.args).toEqual(['Cancelled']);
      stage.land('exit.bye');
      expect(stage.status).toMatchObject({ phase: 'Cancelled', message: 'not today' });
      expect(stage.conditionOf('Ready')).toMatchObject({ status: 'False', reason: 'Cancelled' });
    }
  });

  it('waits for what it cancels before anything is undone; what ended well after all is undone, too', () => {
    const stage = new Stage(spec);
    stage.command('cancel');
    expect(stage.flying).toEqual([]);
    expect(stage.air.size).toBe(1);
    stage.land('a');
    expect(stage.flying).toEqual(['undo.a']);
  });

  it('leaves what it cut off as that stood, although the end takes a while; a retry begins it again', () => {
    const group = { name: 'group', continueOnFailure: true, steps: [fn('broken'), fn('slow')] };
    const stage = new Stage({ steps: [fn('a', { compensate: { run: { command: 'undo' } } }), group] });
    stage.land('a').fail('group.broken');
    stage.command('cancel');
    stage.drop('group.slow');
    expect(stage.phases).toMatchObject({ group: 'Cancelled', 'group.broken': 'Failed', 'group.slow': 'Cancelled' });
    stage.land('undo.a');
    expect(stage.phase).toBe('Cancelled');
    expect(stage.phases).toMatchObject({ group: 'Cancelled', 'group.broken': 'Failed', 'group.slow': 'Cancelled' });
    stage.command('retry');
    expect(stage.flying.sort()).toEqual(['a', 'group.broken', 'group.slow']);
  });

  it('is refused once the run has ended, or is ending', () => {
    const stage = new Stage(spec);
    stage.fail('a');
    expect(stage.command('cancel')).toMatchObject({ type: 'Conflict', message: 'the run is ending already' });
    stage.land('exit.bye');
    expect(stage.command('cancel')).toMatchObject({ type: 'Conflict', message: 'the run has ended already: it is Failed' });
  });

  it('is not what terminate does: that ends at once', () => {
    const stage = new Stage(spec);
    stage.land('a');
    stage.command('terminate');
    expect(stage.status).toMatchObject({ phase: 'Terminated', message: 'Terminated by ann.' });
    expect(stage.plan.steps).toEqual([]);
  });
});

describe('the time-out of a run', () => {
  it('cancels what runs, fails, and does what is done at the end', () => {
    const stage = new Stage({ timeout: '1m', steps: [fn('a'), fn('b', { dependsOn: ['a'] })], onExit: [fn('bye')] });
    stage.wait(60_000);
    expect(stage.flying).toEqual([]);
    stage.drop('a');
    expect(stage.flying).toEqual(['exit.bye']);
    stage.land('exit.bye');
    expect(stage.status).toMatchObject({ phase: 'Failed', message: 'The run took longer than its timeout of 1m.' });
  });

  it('does not matter any more when the steps have come out', () => {
    const stage = new Stage({ timeout: '1m', steps: [fn('a')], onExit: [fn('bye')] });
    stage.land('a').wait(120_000);
    stage.pass();
    stage.land('exit.bye');
    expect(stage.phase).toBe('Succeeded');
  });
});

describe('skip', () => {
  it('leaves out what has not started, runs, waits or has failed', () => {
    const stage = new Stage({
      failFast: false,
      steps: [fn('a'), fn('b'), ask(), fn('d', { dependsOn: ['a', 'b', 'ask', 'e'] }), fn('e', { dependsOn: ['z'] }), fn('z')],
    });
    stage.fail('b');
    for (const step of ['a', 'b', 'ask', 'e']) stage.command('skip', { step });
    expect(stage.phases).toMatchObject({ a: 'Skipped', b: 'Skipped', ask: 'Skipped', e: 'Skipped', d: 'Running' });
    stage.drop('a').land('d').land('z');
    expect(stage.phase).toBe('Succeeded');
  });

  it('leaves out what is done at the end, also before that has come', () => {
    const group = { name: 'group', steps: [fn('inner')] };
    const undo = { compensate: { run: { command: 'undo' } } };
    const stage = new Stage({ steps: [fn('a', undo), fn('b')], onExit: [fn('tell'), group, fn('bye')] });
    expect(stage.command('skip', { step: 'exit.tell' })).toEqual({ step: 'exit.tell', by: 'ann' });
    stage.land('a').fail('b');
    expect(stage.flying).toEqual(['undo.a']);
    expect(stage.command('skip', { step: 'exit.group.inner' })).toEqual({ step: 'exit.group.inner', by: 'ann' });
    stage.land('undo.a');
    expect(stage.flying).toEqual(['exit.bye']);
    expect(stage.phases).toMatchObject({ 'exit.tell': 'Skipped', 'exit.group': 'Skipped' });
    stage.land('exit.bye');
    stage.command('retry');
    stage.land('a').land('b');
    expect(stage.flying).toEqual(['exit.tell', 'exit.group.inner', 'exit.bye']);
  });

  it('leaves out an undo whose turn has not come, but none before something is undone', () => {
    const undo = { compensate: { run: { command: 'undo' } } };
    const stage = new Stage({ steps: [fn('a', undo), fn('b', { ...undo, dependsOn: ['a'] }), fn('c', { dependsOn: ['b'] })] });
    stage.land('a');
    const message = 'nothing is undone yet: undo.a can be skipped when the run undoes its steps';
    expect(stage.command('skip', { step: 'undo.a' })).toEqual({ type: 'Conflict', message });
    expect(stage.command('skip', { step: 'undo.x' })).toEqual([{ path: 'args.step', message: 'there is no step "undo.x"' }]);
    stage.land('b').fail('c');
    expect(stage.flying).toEqual(['undo.b']);
    expect(stage.command('skip', { step: 'undo.a' })).toEqual({ step: 'undo.a', by: 'ann' });
    expect(stage.command('skip', { step: 'undo.c' })).toEqual([{ path: 'args.step', message: 'there is no step "undo.c"' }]);
    stage.land('undo.b');
    expect(stage.phases).toMatchObject({ 'undo.a': 'Skipped', 'undo.b': 'Succeeded' });
    expect(stage.phase).toBe('Failed');
  });

  it('is refused for what has ended well, and for what is not there', () => {
    const stage = new Stage({ steps: [fn('a'), fn('b', { dependsOn: ['a'] })] });
    stage.land('a');
    expect(stage.command('skip', { step: 'a' })).toMatchObject({ type: 'Conflict', message: 'a has ended already: it is Succeeded' });
    expect(stage.command('skip', { step: 'x' })).toEqual([{ path: 'args.step', message: 'there is no step "x"' }]);
  });
});

describe('retry', () => {
  it('begins only the failed part again, in the same run, with attempts that count on', () => {
    const stage = new Stage({
      steps: [fn('a'), fn('b', { dependsOn: ['a'] }), fn('c', { dependsOn: ['b'] })],
      onExit: [fn('bye')],
      ttlSecondsAfterFinished: 600,
    });
    stage.land('a').fail('b').land('exit.bye');
    expect(stage.phase).toBe('Failed');
    expect(stage.command('retry')).toEqual({ steps: ['b'] });
    expect(stage.status).toMatchObject({ phase: 'Running', retries: 1 });
    expect(stage.status?.finishedAt).toBeUndefined();
    expect(stage.flying).toEqual(['b']);
    expect(stage.flightsOf('b').map(({ key }) => key)).toEqual(['step/b/a1', 'step/b/a2']);
    stage.land('b').land('c').land('exit.bye');
    expect(stage.status).toMatchObject({ phase: 'Succeeded', progress: '3/3' });
    expect(stage.flightsOf('a')).toHaveLength(1);
    expect(stage.flightsOf('exit.bye').map(({ key }) => key)).toEqual(['step/exit.bye/a1', 'step/exit.bye/a2']);
  });

  it('does what was undone once more', () => {
    const undo = { compensate: { functionSpec: { funcName: 'undo', conditions: { executorType: 'q' } } } };
    const stage = new Stage({ steps: [fn('a', undo), fn('b', { dependsOn: ['a'] }), fn('c', { dependsOn: ['b'] })] });
    stage.land('a').land('b').fail('c').land('undo.a');
    stage.command('retry');
    expect(stage.flying).toEqual(['a']);
    expect(stage.phases).toMatchObject({ a: 'Running', b: 'Succeeded', c: 'Pending' });
    stage.land('a');
    expect(stage.flightsOf('b')).toHaveLength(1);
    stage.land('c');
    expect(stage.phase).toBe('Succeeded');
    expect(stage.flightsOf('undo.a')).toHaveLength(1);
  });

  it('keeps what was done deep inside a step that waits again, although it would not begin any more', () => {
    const inner = { name: 'inner', steps: [fn('a'), fn('each', { depends: 'a.Failed', withItems: [0, 1] }), fn('c')] };
    const stage = new Stage({
      steps: [fn('make', { compensate: { run: { command: 'undo' } } }), { name: 'outer', dependsOn: ['make'], steps: [inner] }],
    });
    stage.land('make').fail('outer.inner.a').land('outer.inner.each[0]').land('outer.inner.each[1]');
    stage.command('skip', { step: 'outer.inner.a' });
    stage.fail('outer.inner.c').land('undo.make');
    stage.command('retry');
    expect(stage.flying).toEqual(['make']);
    stage.land('make').land('outer.inner.c');
    expect(stage.phase).toBe('Succeeded');
    expect(stage.phases).toMatchObject({ 'outer.inner.each': 'Succeeded', 'outer.inner.each[0]': 'Succeeded' });
    expect(stage.flightsOf('outer.inner.each[0]')).toHaveLength(1);
  });

  it('shows a loop that waits again with all of its iterations, and knows that it was not done when it is left out', () => {
    const stage = new Stage({
      failFast: false,
      steps: [
        fn('make', { compensate: { run: { command: 'undo' } } }),
        fn('each', { dependsOn: ['make'], withItems: [0, 1] }),
        fn('after', { depends: 'each.AnySucceeded' }),
      ],
    });
    stage.land('make').land('each[0]');
    stage.command('cancel');
    stage.drop('each[1]').land('undo.make');
    stage.command('retry');
    expect(stage.steps.each).toMatchObject({ phase: 'Pending', iterations: { total: 2, succeeded: 1 } });
    expect(stage.phases).toMatchObject({ 'each[0]': 'Succeeded', 'each[1]': 'Pending' });
    stage.fail('make');
    expect(stage.phases).toMatchObject({ each: 'Omitted', after: 'Omitted' });
    expect(stage.phase).toBe('Failed');
  });

  it('does not forget what was skipped by hand in a loop that waits again', () => {
    const undo = { compensate: { run: { command: 'undo' } } };
    const stage = new Stage({ steps: [fn('make', undo), fn('each', { dependsOn: ['make'], withItems: [0, 1, 2] })] });
    stage.land('make').land('each[2]');
    stage.command('skip', { step: 'each[0]' });
    stage.drop('each[0]').fail('each[1]').land('undo.make');
    stage.command('retry');
    expect(stage.phases).toMatchObject({ each: 'Pending', 'each[0]': 'Skipped', 'each[1]': 'Pending', 'each[2]': 'Succeeded' });
    stage.command('cancel');
    stage.drop('make');
    stage.command('retry');
    stage.land('make').land('each[1]');
    expect(stage.phase).toBe('Succeeded');
    expect(stage.flightsOf('each[0]')).toHaveLength(1);
  });

  it('leaves what is kept in a step that still waits: a second retry asks nothing again that the first one did not', () => {
    const undo = { compensate: { run: { command: 'undo' } } };
    const inner = { name: 'inner', continueOnFailure: true, steps: [fn('a', undo), ask()] };
    const stage = new Stage({
      failFast: false,
      steps: [fn('make', undo), { name: 'outer', dependsOn: ['make'], steps: [inner] }, fn('z', { dependsOn: ['outer'] })],
    });
    stage.land('make').land('outer.inner.a');
    stage.command('reject', { step: 'outer.inner.ask' });
    stage.fail('z').land('undo.outer.inner.a').land('undo.make');
    expect(stage.command('retry')).toEqual({ steps: ['z', 'make', 'outer', 'outer.inner', 'outer.inner.a'] });
    stage.command('terminate');
    stage.drop('make');
    expect(stage.command('retry')).toEqual({ steps: ['make', 'outer', 'z'] });
    stage.land('make').land('outer.inner.a');
    expect(stage.phases).toMatchObject({ 'outer.inner.ask': 'Failed', 'outer.inner': 'Failed', outer: 'Succeeded', z: 'Running' });
  });

  it('gives a step with steps of its own its whole time again, also where some of them stay done', () => {
    const outer = { name: 'outer', dependsOn: ['make'], timeout: '1m', steps: [fn('a'), fn('b', { dependsOn: ['a'] })] };
    const stage = new Stage({ steps: [fn('make', { compensate: { run: { command: 'undo' } } }), outer] });
    stage.land('make').land('outer.a').fail('outer.b').land('undo.make');
    stage.command('retry');
    stage.wait(50_000).land('make');
    expect(stage.steps.outer?.startedAt).toBe(new Date(stage.now).toISOString());
    stage.wait(59_000);
    expect(stage.phases.outer).toBe('Running');
    stage.wait(1_000);
    expect(stage.flying).toEqual([]);
    stage.drop('outer.b');
    expect(stage.steps.outer).toMatchObject({ phase: 'Failed', reason: 'TimedOut' });
  });

  it('asks again what was rejected, and gives the run its whole time again', () => {
    const stage = new Stage({ timeout: '1h', steps: [ask()] });
    stage.wait(3_000_000);
    stage.command('reject', { step: 'ask' });
    stage.command('retry');
    expect(stage.phase).toBe('Suspended');
    stage.wait(3_000_000);
    expect(stage.phase).toBe('Suspended');
    stage.command('approve', { step: 'ask' });
    expect(stage.phase).toBe('Succeeded');
  });

  it('works while other branches still run', () => {
    const stage = new Stage({ failFast: false, steps: [fn('a'), fn('b'), fn('c', { dependsOn: ['a'] })] });
    stage.fail('a');
    expect(stage.phases).toMatchObject({ a: 'Failed', c: 'Omitted' });
    stage.command('retry');
    expect(stage.phases).toMatchObject({ a: 'Running', b: 'Running', c: 'Pending' });
    stage.land('b').land('a').land('c');
    expect(stage.phase).toBe('Succeeded');
  });

  it('is refused when there is nothing to do again', () => {
    const stage = new Stage({ steps: [fn('a')] });
    expect(stage.command('retry')).toMatchObject({ type: 'Conflict', message: 'no step has failed' });
    stage.land('a');
    expect(stage.command('retry')).toMatchObject({ type: 'Conflict' });
  });
});

describe('what undoes steps', () => {
  const undo = (name: string) => ({
    compensate: { functionSpec: { funcName: `undo_${name}`, conditions: { executorType: 'q' }, args: ['${outputs.id}'] } },
  });

  it('runs backwards, one after the other, and goes on when one fails', () => {
    const stage = new Stage({ steps: [fn('a', undo('a')), fn('b', undo('b')), fn('c', { dependsOn: ['a', 'b'] })] });
    stage.land('b', { id: 1 }).land('a', { id: 2 }).fail('c');
    expect(stage.flying).toEqual(['undo.a']);
    expect(stage.flightsOf('undo.a')[0]).toMatchObject({ activity: 'undo_a', input: { args: [2] } });
    stage.fail('undo.a');
    expect(stage.flying).toEqual(['undo.b']);
    stage.land('undo.b');
    expect(stage.status).toMatchObject({ phase: 'Failed', message: 'c failed: boom; undo.a failed: boom' });
  });

  it('knows the order of what ended in the same millisecond, however the steps are written', () => {
    const stage = new Stage({ steps: [fn('b', { dependsOn: ['a'], ...undo('b') }), fn('c', { dependsOn: ['b'] }), fn('a', undo('a'))] });
    stage.land('a', { id: 1 });
    stage.now -= 1;
    stage.land('b', { id: 2 }).fail('c');
    expect(stage.steps.a?.finishedAt).toBe(stage.steps.b?.finishedAt);
    expect(stage.flying).toEqual(['undo.b']);
    stage.land('undo.b');
    expect(stage.flying).toEqual(['undo.a']);
  });

  it('does not run when all went well', () => {
    const stage = new Stage({ steps: [fn('a', undo('a'))] });
    stage.land('a', { id: 1 });
    expect(stage.phase).toBe('Succeeded');
  });
});

describe('what is done at the end', () => {
  it('makes a run fail when it fails, sees how the steps came out, and depends on each other', () => {
    const stage = new Stage({
      steps: [fn('a')],
      onExit: [fn('x', { when: 'run.status == "Failed"' }), fn('y', { dependsOn: ['x'] }), fn('z', { dependsOn: ['y'] })],
    });
    stage.land('a').fail('exit.y');
    expect(stage.phases).toMatchObject({ a: 'Succeeded', 'exit.x': 'Skipped', 'exit.y': 'Failed', 'exit.z': 'Omitted' });
    expect(stage.phase).toBe('Failed');
  });
});

describe('a run that is ending', () => {
  const undo = { compensate: { functionSpec: { funcName: 'undo', conditions: { executorType: 'q' } } } };

  it('takes answers of what is asked at the end', () => {
    const stage = new Stage({ steps: [fn('a')], onExit: [ask(), fn('bye', { dependsOn: ['ask'] })] });
    stage.land('a');
    expect(stage.steps['exit.ask']?.phase).toBe('Suspended');
    expect(stage.command('approve', { step: 'exit.ask' })).toMatchObject({ verdict: 'approve' });
    stage.land('exit.bye');
    expect(stage.phase).toBe('Succeeded');
  });

  it('can be helped on where nobody serves what undoes, or what is done at the end', () => {
    const stage = new Stage({ steps: [fn('a', undo), fn('b', { dependsOn: ['a'] })], onExit: [fn('bye')] });
    stage.land('a').fail('b').fail('undo.a', 'ExecutorUnavailable');
    expect(stage.command('skip', { step: 'a' })).toMatchObject({ type: 'Conflict' });
    expect(stage.command('skip', { step: 'undo.a' })).toMatchObject({ step: 'undo.a' });
    stage.drop('undo.a');
    expect(stage.flying).toEqual(['exit.bye']);
    stage.command('skip', { step: 'exit.bye' });
    stage.drop('exit.bye');
    expect(stage.phases).toMatchObject({ 'undo.a': 'Skipped', 'exit.bye': 'Skipped' });
    expect(stage.phase).toBe('Failed');
    stage.command('retry');
    expect(stage.flying).toEqual(['b']);
  });
});

describe('a retry of what was undone, or cut off', () => {
  it('begins again what was undone inside a step, with what had failed there, although that failure was taken care of', () => {
    const compensate = { functionSpec: { funcName: 'undo', conditions: { executorType: 'q' } } };
    const inner = [fn('x', { compensate }), fn('y', { dependsOn: ['x'] })];
    const stage = new Stage({ steps: [{ name: 'g', continueOnFailure: true, steps: inner }, fn('z', { dependsOn: ['g'] })] });
    stage.land('g.x').fail('g.y').fail('z').land('undo.g.x');
    expect(stage.phase).toBe('Failed');
    expect(stage.command('retry')).toEqual({ steps: ['z', 'g', 'g.x', 'g.y'] });
    expect(stage.flying).toEqual(['g.x']);
    stage.land('g.x').land('g.y').land('z');
    expect(stage.phase).toBe('Succeeded');
    expect(stage.steps['g.y']).toMatchObject({ phase: 'Succeeded', attempts: 2 });
  });

  it('knows also of a long loop what had begun: it begins again, and not for the first time', () => {
    const stage = new Stage({ steps: [{ ...fn('each'), withSequence: { count: 60 } }] });
    for (let index = 0; index < 58; index += 1) stage.land(`each[${index}]`);
    stage.command('terminate');
    stage.drop('each[58]').drop('each[59]');
    expect(stage.steps['each[59]']).toMatchObject({ phase: 'Cancelled' });
    stage.command('retry');
    expect([...stage.air.values()].map(({ step }) => step.key)).toEqual(['step/each[58]/a2', 'step/each[59]/a2']);
  });
});

describe('notifications', () => {
  it('go out once when a run has failed', () => {
    const stage = new Stage({ workflow: 'w', onFailure: { notify: ['https://x/hook', 'data-team'] }, steps: [fn('a')] });
    stage.fail('a');
    expect(stage.log.slice(1).map(({ activity, queue, input }) => [activity, queue, input.to])).toEqual([
      ['notify', undefined, 'https://x/hook'],
      ['notify', 'notifications', 'data-team'],
    ]);
    expect(stage.log[1]?.input.run).toMatchObject({
      name: 'r1',
      workflow: 'w',
      status: 'Failed',
      failedSteps: [{ step: 'a', message: 'boom' }],
    });
    stage.land('notify/0', { status: 200 }).land('notify/1');
    expect(stage.plan.steps).toEqual([]);
    expect(stage.log).toHaveLength(3);
    expect(stage.status?.notifications).toEqual([
      { to: 'https://x/hook', phase: 'Sent' },
      { to: 'data-team', phase: 'Sent' },
    ]);
    expect(stage.plan.notes).toEqual([]);
  });

  it('do not hold up the end of the run', () => {
    const stage = new Stage({ onFailure: { notify: ['https://x/hook', 'data-team'] }, steps: [fn('a')] });
    stage.fail('a');
    const ended = stage.status;
    expect(ended).toMatchObject({ phase: 'Failed', finishedAt: new Date(stage.now).toISOString() });
    expect(stage.conditionOf('Completed')?.status).toBe('True');
    expect(stage.flying).toEqual(['notify/0', 'notify/1']);
    stage.wait(30_000).land('notify/0').fail('notify/1', 'ExecutorUnavailable');
    expect(stage.status).toMatchObject({ finishedAt: ended?.finishedAt, duration: ended?.duration });
  });

  it('that were not delivered are told of: each by a warning, once, and by a line of the status', () => {
    const stage = new Stage({ onFailure: { notify: ['http://127.0.0.1:1/hook', 'ops@example.org', 'slow'] }, steps: [fn('a')] });
    stage.fail('a');
    const warnings: unknown[] = [];
    const hear = () => warnings.push(...(stage.plan.notes ?? []));
    stage.fail('notify/0', 'Unreachable', { message: 'connect ECONNREFUSED' });
    hear();
    stage.fail('notify/1', 'ExecutorUnavailable', { message: 'nobody on task queue notifications took the work within 30 s' });
    hear();
    stage.fail('notify/2', 'TimedOut', { message: 'activity StartToClose timeout' });
    hear();
    stage.pass();
    hear();
    expect(stage.status?.notifications).toEqual([
      { to: 'http://127.0.0.1:1/hook', phase: 'Failed', message: 'connect ECONNREFUSED' },
      { to: 'ops@example.org', phase: 'Failed', message: 'nobody serves the task queue notifications' },
      { to: 'slow', phase: 'Failed', message: 'no answer within 30s' },
    ]);
    expect(warnings).toEqual([
      { type: 'Warning', reason: 'NotNotified', message: 'http://127.0.0.1:1/hook was not told: connect ECONNREFUSED.' },
      { type: 'Warning', reason: 'NotNotified', message: 'ops@example.org was not told: nobody serves the task queue notifications.' },
      { type: 'Warning', reason: 'NotNotified', message: 'slow was not told: no answer within 30s.' },
    ]);
    expect(stage.plan.steps).toEqual([]);
  });

  it('are waited for when the time of the run is over, and when it is deleted', () => {
    const stage = new Stage({ onFailure: { notify: ['https://x/hook'] }, ttlSecondsAfterFinished: 1, steps: [fn('a')] });
    stage.fail('a').wait(5_000).pass();
    expect([stage.isRetired, stage.plan.wakeAt]).toEqual([false, undefined]);
    const leaving = () => workflowRun.plan({ ...stage.view, deleting: true }).steps.map(({ key }) => key);
    expect(leaving()).toEqual(['notify/0/r0']);
    stage.land('notify/0');
    expect([stage.isRetired, leaving()]).toEqual([true, []]);
  });

  it('go out again when a retry fails, and are not shown while it runs', () => {
    const stage = new Stage({ onFailure: { notify: ['https://x/hook'] }, steps: [fn('a')] });
    stage.fail('a').fail('notify/0');
    stage.command('retry');
    expect(stage.status?.notifications).toBeUndefined();
    stage.fail('a');
    expect(stage.flying).toEqual(['notify/0']);
    expect(stage.status?.notifications).toEqual([{ to: 'https://x/hook', phase: 'Sending' }]);
    stage.fail('notify/0');
    expect(stage.plan.notes).toMatchObject([{ type: 'Warning', reason: 'NotNotified' }]);
  });

  describe('that are on their way when somebody asks for a retry', () => {
    const notified = () => {
      const stage = new Stage({ onFailure: { notify: ['https://x/hook', 'data-team'] }, steps: [fn('a')] });
      stage.fail('a').land('notify/0');
      stage.now += 1;
      stage.command('retry');
      return stage;
    };
    const of = (stage: Stage, about: string) => stage.air.get(about);

    it('are delivered, and that is said', () => {
      const stage = notified();
      expect(of(stage, 'notify/1')).toMatchObject({ isCancelled: false, step: { unbroken: true } });
      expect(stage.status).toMatchObject({ phase: 'Running', notifications: [{ to: 'data-team', phase: 'Sending' }] });
      stage.land('notify/1');
      expect(stage.status).toMatchObject({ phase: 'Running', notifications: [{ to: 'data-team', phase: 'Sent' }] });
      stage.land('a');
      expect(stage.phase).toBe('Succeeded');
      expect(stage.log.filter(({ activity }) => activity === 'notify')).toHaveLength(2);
    });

    it('and are not delivered after all, are told of: by a warning, once, and by a line of the status', () => {
      const stage = notified();
      stage.fail('notify/1', 'ExecutorUnavailable');
      const message = 'nobody serves the task queue notifications';
      expect(stage.status?.notifications).toEqual([{ to: 'data-team', phase: 'Failed', message }]);
      expect(stage.plan.notes).toMatchObject([{ reason: 'NotNotified', message: `data-team was not told: ${message}.` }]);
      stage.pass();
      expect(stage.status?.notifications).toHaveLength(1);
      expect(stage.plan.notes ?? []).toEqual([]);
    });

    it('come before the news that it failed again', () => {
      const stage = notified();
      stage.fail('a');
      expect(stage.flying).toEqual(['notify/1', 'notify/0']);
      expect(of(stage, 'notify/1')).toMatchObject({ isCancelled: false, step: { key: 'notify/1/r0' } });
      expect(stage.status).toMatchObject({ phase: 'Failed', notifications: [{ phase: 'Sending' }, { phase: 'Sending' }] });
      stage.land('notify/1');
      expect(of(stage, 'notify/1')).toMatchObject({ step: { key: 'notify/1/r1', input: { run: { failedSteps: [{ step: 'a' }] } } } });
      stage.land('notify/1').land('notify/0');
      expect(stage.status?.notifications).toMatchObject([{ phase: 'Sent' }, { phase: 'Sent' }]);
    });

    it('are delivered also if the retry ends well before', () => {
      const stage = notified();
      stage.land('a');
      expect(stage.phase).toBe('Succeeded');
      stage.pass();
      expect(of(stage, 'notify/1')).toMatchObject({ isCancelled: false });
      stage.land('notify/1');
      expect(stage.status).toMatchObject({ phase: 'Succeeded', notifications: [{ to: 'data-team', phase: 'Sent' }] });
      stage.pass();
      expect(stage.status?.notifications).toHaveLength(1);
    });

    it('are delivered also if the run is terminated then, or deleted', () => {
      const stage = notified();
      const { steps, finalized } = workflowRun.plan({ ...stage.view, deleting: true });
      expect([steps.map(({ key }) => key), finalized]).toEqual([['notify/1/r0'], false]);
      stage.command('terminate');
      expect(of(stage, 'notify/1')).toMatchObject({ isCancelled: false });
      stage.pass();
      expect(of(stage, 'notify/1')).toMatchObject({ isCancelled: false });
      stage.land('notify/1');
      expect(stage.status).toMatchObject({ phase: 'Terminated', notifications: [{ to: 'data-team', phase: 'Sent' }] });
    });
  });

  it('do not go out for a run that was cancelled', () => {
    const stage = new Stage({ onFailure: { notify: ['x'] }, steps: [fn('a')] });
    stage.command('cancel');
    stage.drop('a');
    expect(stage.status).toMatchObject({ phase: 'Cancelled' });
    expect(stage.log).toHaveLength(1);
  });
});
