import { describe, expect, it } from 'vitest';
import { fn, Stage } from './test-double/stage.ts';

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
