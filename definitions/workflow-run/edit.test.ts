import { describe, expect, it } from 'vitest';
import { fn, Stage } from './test-double/stage.ts';

const using = (name: string, param: string, more = {}) =>
  fn(name, { functionSpec: { funcName: name, conditions: { executorType: 'q' }, kwargs: { p: `\${params.${param}}` } }, ...more });

describe('a live run', () => {
  const spec = { params: { x: 1, y: 2 }, steps: [using('a', 'x'), using('b', 'y', { dependsOn: ['a'] })] };

  it('takes changes of what has not started: parameters, steps, order', () => {
    const stage = new Stage(spec);
    expect(
      stage.apply({
        ...spec,
        params: { x: 1, y: 3 },
        steps: [spec.steps[0], fn('new', { dependsOn: ['a'] }), { ...spec.steps[1], dependsOn: ['new'] }],
      }),
    ).toEqual([]);
    stage.land('a').land('new');
    expect(stage.flightsOf('b')[0]?.input.kwargs).toEqual({ p: 3 });
    stage.land('b');
    expect(stage.status).toMatchObject({ phase: 'Succeeded', progress: '3/3' });
  });

  it('keeps what has started, and the parameters it has used', () => {
    const stage = new Stage(spec);
    expect(stage.apply({ ...spec, params: { x: 5, y: 2 } })).toEqual([
      { path: 'spec.params.x', message: 'cannot be changed: step a has used it' },
    ]);
    expect(stage.apply({ ...spec, steps: [{ ...spec.steps[0], timeout: '1m' }, spec.steps[1]] })).toEqual([
      { path: 'spec.steps[0].timeout', message: 'cannot be changed: it has started' },
    ]);
    expect(stage.apply({ ...spec, steps: [using('b', 'y')] })).toEqual([
      { path: 'spec.steps', message: 'step a cannot be taken away: it has started' },
    ]);
    stage.land('a');
    expect(stage.apply({ ...spec, steps: [fn('a'), spec.steps[1]] })).toEqual([
      { path: 'spec.steps[0].functionSpec', message: 'cannot be changed: it is Succeeded' },
    ]);
    expect(stage.flying).toEqual(['b']);
  });

  it('keeps what decided that a step was skipped', () => {
    const stage = new Stage({ params: { on: false, y: 1 }, steps: [fn('a', { when: 'params.on' }), fn('b')] });
    expect(stage.apply({ params: { on: true, y: 1 }, steps: [fn('a', { when: 'params.on' }), fn('b')] })).toEqual([
      { path: 'spec.params.on', message: 'cannot be changed: step a has used it' },
    ]);
  });

  it('takes steps into nested ones that have started', () => {
    const group = (...steps: object[]) => ({ steps: [{ name: 'g', steps }] });
    const stage = new Stage(group(fn('a'), fn('b', { dependsOn: ['a'] })));
    expect(stage.apply(group(fn('a', { timeout: 5 }), fn('b')))).toEqual([
      { path: 'spec.steps[0].steps[0].timeout', message: 'cannot be changed: it has started' },
    ]);
    expect(stage.apply(group(fn('a'), fn('b', { dependsOn: ['a'] }), fn('c', { dependsOn: ['b'] })))).toEqual([]);
    stage.land('g.a').land('g.b').land('g.c');
    expect(stage.phase).toBe('Succeeded');
  });

  it('that has ended takes only how long it stays', () => {
    const stage = new Stage({ steps: [fn('a')] });
    stage.land('a');
    expect(stage.apply({ steps: [fn('a'), fn('b')] })).toEqual([
      { path: 'spec.steps', message: 'cannot be changed: the run has ended, or is ending' },
    ]);
    expect(stage.apply({ steps: [fn('a')], ttlSecondsAfterFinished: 5 })).toEqual([]);
    stage.wait(5_000);
    expect(stage.isRetired).toBe(true);
  });
});
