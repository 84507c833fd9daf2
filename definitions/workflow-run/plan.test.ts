import { describe, expect, it } from 'vitest';
import { fn, Stage } from './test-double/stage.ts';

describe('the message of a run', () => {
  const failed = { message: 'exit code 5' };

  it('says which steps have failed although others did not mind', () => {
    const inner = { name: 'group', steps: [fn('c', { continueOnFailure: true }), fn('d')] };
    const stage = new Stage({ steps: [fn('a', { continueOnFailure: true }), fn('b', { depends: 'a.Failed' }), inner] });
    stage.fail('a').land('b').fail('group.c').land('group.d');
    expect(stage.status).toMatchObject({ phase: 'Succeeded', message: 'All steps have ended; a, group.c failed, which was allowed.' });
  });

  it('is that all have ended well only where they have', () => {
    expect(new Stage({ steps: [fn('a')] }).land('a').status).toMatchObject({ message: 'All steps have ended well.' });
    const stage = new Stage({ steps: [fn('a')], onExit: [fn('e1'), fn('e2', { continueOnFailure: true })] });
    stage.land('a').fail('exit.e2').fail('exit.e1', 'ExitCode', failed);
    expect(stage.status).toMatchObject({
      phase: 'Failed',
      message: 'All other steps have ended; exit.e2 failed, which was allowed; exit.e1 failed: exit code 5',
    });
    const other = new Stage({ steps: [fn('a')], onExit: fn('e1') });
    other.land('a').fail('exit.e1', 'ExitCode', failed);
    expect(other.status).toMatchObject({ phase: 'Failed', message: 'All other steps have ended well; exit.e1 failed: exit code 5' });
  });

  it('tells of one thing after the other, without an end in between', () => {
    const stage = new Stage({ steps: [{ name: 'ask', suspend: {} }], onExit: fn('e1') });
    stage.command('reject', { step: 'ask' });
    stage.fail('exit.e1', 'ExitCode', failed);
    expect(stage.status).toMatchObject({ message: 'ask failed: Rejected by ann; exit.e1 failed: exit code 5' });
  });
});

describe('a run of function steps', () => {
  const chain = {
    params: { day: 'mon' },
    steps: [fn('a'), fn('b', { dependsOn: ['a'] }), fn('c', { dependsOn: ['a'] }), fn('d', { dependsOn: ['b', 'c'] })],
  };

  it('starts each step when its needs have succeeded, and ends when all have', () => {
    const stage = new Stage(chain);
    expect(stage.flying).toEqual(['a']);
    expect(stage.phase).toBe('Running');
    stage.land('a', { rows: 3 });
    expect(stage.flying).toEqual(['b', 'c']);
    stage.land('c').land('b');
    expect(stage.flying).toEqual(['d']);
    expect(stage.status).toMatchObject({ progress: '3/4', completedSteps: 3, totalSteps: 4 });
    stage.land('d');
    expect(stage.status).toMatchObject({ phase: 'Succeeded', progress: '4/4' });
    expect(stage.status?.finishedAt).toBeDefined();
    expect(stage.conditionOf('Ready')?.status).toBe('True');
    expect(stage.plan.steps).toEqual([]);
  });

  it('calls the function on the queue of its executors with one object', () => {
    const stage = new Stage({ workflow: 'w', params: { day: 'mon' }, steps: [fn('a', { timeout: '5m', heartbeat: 10 })] });
    expect(stage.log[0]).toMatchObject({
      key: 'step/a/a1',
      about: 'step/a',
      activity: 'a',
      queue: 'q',
      input: {
        args: [],
        kwargs: {},
        params: { day: 'mon' },
        workflow: 'w',
        run: 'r1',
        step: 'a',
        namespace: 'default',
        attempt: 1,
        idempotencyKey: 'u1/a',
      },
      timeouts: { startToCloseMs: 300_000, heartbeatMs: 10_000, scheduleToStartMs: 30_000 },
      retry: { maximumAttempts: 1 },
    });
  });

  it('is silent once it has ended, and goes when its time is over', () => {
    const stage = new Stage({ ...chain, steps: [fn('a')], ttlSecondsAfterFinished: 60 });
    stage.land('a');
    const before = stage.status;
    expect(stage.plan.wakeAt).toBe(stage.now + 60_000);
    stage.now += 1_000;
    expect(stage.pass().steps).toEqual([]);
    expect({ ...stage.status, conditions: [] }).toEqual({ ...before, conditions: [] });
    stage.wait(60_000);
    expect(stage.isRetired).toBe(true);
  });
});
