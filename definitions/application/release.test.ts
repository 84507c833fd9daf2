import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/resource.ts';
import { commands } from './commands.ts';
import { component, db, going, shop, web, worker } from './test-double/shop.ts';
import { World } from './test-double/world.ts';

const retried = (world: World): void => {
  const { remember } = commands.retry?.(world.view(), {}, { actor: 'me', now: world.now }) ?? {};
  world.observed = {
    ...world.observed,
    release: { key: 'command', generation: world.generation, at: world.now, value: remember?.release },
  };
};

describe('a release that fails', () => {
  const broken = { ...going, components: [{ ...db, spec: { size: 2 } }, { ...web, spec: { bad: true, url: web.spec.url } }, worker] };

  const brokenWorld = (spec: JsonObject = broken, never = 'web'): World => {
    const world = new World({ statusOf: (name, { size }) => ({ url: `${name}/${size}` }) }).apply(going);
    world.rise();
    world.begun.length = 0;
    world.apply(spec);
    world.rise(never);
    return world;
  };

  it('goes back in reverse order when it is not ready in time, each ready before the next', () => {
    const world = brokenWorld();
    expect(world.begun).toEqual(['apply db', 'apply web']);
    expect(world.last.wakeAt).toBeLessThanOrEqual(world.now + 60_000);
    world.now = world.last.wakeAt ?? 0;
    world.settle();
    expect(world.begun).toEqual(['apply db', 'apply web', 'apply web']);
    expect(world.last.phase).toBe('RollingBack');
    world.settle();
    expect(world.thing('db')?.spec).toEqual({ size: 2 });
    world.ready('web');
    world.rise();
    expect(world.begun).toEqual(['apply db', 'apply web', 'apply web', 'apply db']);
    expect(world.thing('db')?.spec).toEqual({ size: 1 });
    expect(world.thing('web')?.spec).toEqual({ url: 'shop-db/1' });
    expect(world.last).toMatchObject({ steps: [], phase: 'RolledBack' });
    expect(world.last.wakeAt).toBeUndefined();
    expect(world.condition('Ready')).toBe('False RolledBack: web was not ready in time: It starts; everything was taken back.');
    expect(world.facts).toMatchObject({ stableGeneration: 1, readyComponents: '3/3' });
  });

  it('is degraded from the moment when it goes back, as replicas are, until a spec is reached', () => {
    const world = brokenWorld();
    world.fail('web');
    world.settle();
    expect(world.condition('Degraded')).toMatch(/^True RollingBack: web has failed: It did not come up/);
    world.rise();
    expect(world.last.phase).toBe('RolledBack');
    expect(world.condition('Degraded')).toBe('True RolledBack: web has failed: It did not come up; everything was taken back.');
    world.fall('db');
    world.settle();
    expect(world.last.phase).toBe('Degraded');
    expect(world.condition('Degraded'), 'what does not work now says more').toMatch(/^True ComponentsNotReady: db: It starts/);
    world.apply(going);
    world.rise();
    expect(world.condition('Degraded')).toBe('False AsExpected: Nothing is known to be wrong.');
  });

  it('goes back at once when a component has given up', () => {
    const world = brokenWorld();
    world.fail('web');
    world.rise();
    expect(world.facts.release).toMatchObject({
      phase: 'RolledBack',
      message: 'web has failed: It did not come up; everything was taken back.',
    });
  });

  it('is not blamed for a component that had given up before it began', () => {
    const world = new World().apply(going);
    world.rise();
    world.fail('worker');
    world.now += 1_000;
    world.apply({ ...going, components: [db, { ...web, spec: { ...web.spec, more: 1 } }, worker] });
    world.rise('worker');
    expect(world.facts.release?.phase).toBe('Progressing');
    world.ready('worker');
    world.rise();
    expect(world.facts.release?.phase).toBe('Complete');
  });

  it('takes away what was new, and does not touch what it had not changed', () => {
    const cache = { name: 'cache', kind: 'A', dependsOn: ['db'] };
    const late = { name: 'late', kind: 'B', dependsOn: ['cache'] };
    const world = brokenWorld({ ...going, components: [db, web, worker, cache, late] }, 'late');
    world.fail('late');
    world.rise();
    expect(world.begun).toEqual(['apply cache', 'apply late', 'remove late', 'remove cache']);
    expect(world.alive).toEqual(['db', 'web', 'worker']);
    expect(world.last.phase).toBe('RolledBack');
  });

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('goes back in reverse order of how it came when the last good set has the order the other way round: %s, then %s', (user, used) => {
    const world = new World().apply({
      ...going,
      components: [
        { name: user, kind: 'A' },
        { name: used, kind: 'A', dependsOn: [user] },
      ],
    });
    world.rise();
    world.begun.length = 0;
    world.apply({
      ...going,
      components: [
        { name: used, kind: 'A', spec: { size: 2 } },
        { name: user, kind: 'A', spec: { url: `\${components.${used}.status.url}` } },
      ],
    });
    world.rise(user);
    world.fail(user);
    world.settle();
    expect(world.begun).toEqual([`apply ${used}`, `apply ${user}`, `apply ${user}`]);
    world.rise();
    expect(world.begun).toEqual([`apply ${used}`, `apply ${user}`, `apply ${user}`, `apply ${used}`]);
    expect(world.last.phase).toBe('RolledBack');
  });

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])(
    'takes away what was new in reverse order also when the old ones under the same names have it the other way round: %s, then %s',
    (user, used) => {
      const bad = { name: 'bad', kind: 'A' };
      const world = new World().apply({
        ...going,
        components: [bad, { name: user, kind: 'A' }, { name: used, kind: 'A', dependsOn: [user] }],
      });
      world.rise();
      world.apply({
        ...going,
        components: [
          { ...bad, spec: { size: 2 } },
          { name: used, kind: 'B' },
          { name: user, kind: 'B', dependsOn: [used] },
        ],
      });
      world.rise('bad');
      world.begun.length = 0;
      world.fail('bad');
      world.rise();
      expect(world.begun.filter((word) => word.startsWith('remove'))).toEqual([`remove ${user}`, `remove ${used}`]);
      expect(world.last.phase).toBe('RolledBack');
    },
  );

  it('goes on with the way back when what went back does not get ready in time', () => {
    const world = brokenWorld();
    world.fail('web');
    world.rise('web');
    expect(world.begun.at(-1)).toBe('apply web');
    world.now = world.last.wakeAt ?? 0;
    world.rise('web');
    expect(world.begun.at(-1)).toBe('apply db');
    expect(world.last.phase).toBe('Degraded');
    expect(world.facts.release?.phase).toBe('RolledBack');
  });

  it('waits for a step that was cancelled, because that may still change something that has to go back first', () => {
    const parts = (size: number) => [
      { name: 'a', kind: 'A', spec: { size } },
      { name: 'x', kind: 'A', spec: { size } },
      { name: 'y', kind: 'A', spec: { size }, dependsOn: ['x'] },
    ];
    const world = new World().apply({ ...going, components: parts(1) });
    world.rise();
    world.apply({ ...going, components: parts(2) });
    world.settle();
    world.ready('x');
    world.pass();
    expect(world.begun.at(-1)).toBe('apply y');
    world.fail('a');
    world.pass();
    world.begun.length = 0;
    world.land();
    world.settle();
    expect(world.begun).toEqual(['apply y']);
    world.rise();
    expect(world.begun).toEqual(['apply y', 'apply a', 'apply x']);
  });

  it('is followed by the next release as soon as a newer spec comes', () => {
    const world = brokenWorld();
    world.fail('web');
    world.settle();
    expect(world.last.phase).toBe('RollingBack');
    world.apply({ ...going, components: [{ ...db, spec: { size: 3 } }, web, worker] });
    world.rise();
    expect(world.facts).toMatchObject({ stableGeneration: 3, release: { generation: 3, phase: 'Complete' } });
    expect(world.thing('web')?.spec).toEqual({ url: 'shop-db/3' });
  });

  it('can be tried again', () => {
    const world = brokenWorld();
    world.fail('web');
    world.rise();
    world.now += 1_000;
    retried(world);
    world.rise();
    expect(world.facts).toMatchObject({ stableGeneration: 2, release: { generation: 2, phase: 'Complete' } });
    expect(commands.retry?.(world.view(), {}, { actor: 'me', now: world.now })).toEqual({
      refuse: { type: 'Conflict', message: 'the release of generation 2 is Complete: only a failed one can be tried again' },
    });
  });

  it('goes back when a component is refused, and tries a refused one again when it is told to', () => {
    let isStrict = true;
    const world = new World({ refuses: ({ spec }) => isStrict && (spec as { bad?: true }).bad === true }).apply(going);
    world.rise();
    world.apply(broken);
    world.rise();
    expect(world.facts.release).toMatchObject({ phase: 'RolledBack', message: expect.stringMatching(/^web was refused: /) });
    isStrict = false;
    world.now += 1_000;
    retried(world);
    world.rise();
    expect(world.last.phase).toBe('Ready');
    expect(world.thing('web')?.spec).toMatchObject({ bad: true });
  });

  it('begins nothing further with Pause, and goes on when what it had begun is mended', () => {
    const paused = { ...going, updatePolicy: { onFailure: 'Pause', progressDeadlineSeconds: 60 } };
    const world = new World().apply({ ...paused, components: [db, { name: 'a', kind: 'A' }, { name: 'b', kind: 'B', dependsOn: ['a'] }] });
    world.rise('db');
    world.begun.length = 0;
    world.apply({
      ...paused,
      components: [db, { name: 'a', kind: 'A', spec: { x: 1 } }, { name: 'b', kind: 'B', dependsOn: ['a'], spec: { x: 1 } }],
    });
    world.settle();
    expect(world.begun).toEqual(['apply a']);
    world.now = world.last.wakeAt ?? 0;
    world.settle();
    expect(world.facts.release?.phase).toBe('Failed');
    expect(world.condition('Degraded')).toMatch(
      /^True ReleaseFailed: db, a were not ready in time: db: It starts; a: It starts; nothing further is begun/,
    );
    world.ready('a');
    world.settle();
    expect(world.begun).toEqual(['apply a']);
    world.ready('db');
    world.rise();
    expect(world.begun).toEqual(['apply a', 'apply b']);
    expect(world.last.phase).toBe('Ready');
  });

  it('blames an unknown kind alone only where nothing else is late', () => {
    const components = [db, { name: 'a', kind: 'A' }, { name: 'b', kind: 'B', dependsOn: ['a'] }];
    const world = new World({ knows: (kind) => kind !== 'A' }).apply({ components, updatePolicy: { progressDeadlineSeconds: 60 } });
    world.settle();
    world.now = world.last.wakeAt ?? 0;
    world.settle();
    expect(world.condition('Ready')).toMatch(
      /^False ReleaseFailed: db, a were not ready in time: db: It starts; a: waits for the kind A: nobody/,
    );
    world.ready('db');
    world.settle();
    expect(world.condition('Ready')).toMatch(/^False KindUnknown: /);
  });

  it('stays Failed while a value is missing, and goes on when it comes', () => {
    let status: JsonObject = {};
    const world = new World({ statusOf: () => status }).apply({ ...shop, updatePolicy: { progressDeadlineSeconds: 60 } });
    world.rise();
    world.now = world.last.wakeAt ?? 0;
    for (let pass = 0; pass < 3; pass += 1) {
      world.settle();
      expect(world.facts.release).toMatchObject({
        phase: 'Failed',
        message: expect.stringMatching(/^web was not ready in time: needs components\.db\.status\.url; nothing/),
      });
      expect(world.last.wakeAt).toBeUndefined();
      world.now += 1_000;
    }
    status = { url: 'here' };
    world.ready('db');
    world.rise();
    expect(world.last.phase).toBe('Ready');
  });

  it('goes back at once when a text cannot be computed', () => {
    const world = new World().apply(going);
    world.rise();
    world.apply({ ...going, components: [db, { ...web, spec: { url: '${components.db.status.url + 1}' } }, worker] });
    world.rise();
    expect(world.facts.release).toMatchObject({
      phase: 'RolledBack',
      message: expect.stringMatching(/^web cannot be made: spec: .+; everything/),
    });
  });

  it('says of what it does not begin any more that it is not begun, and why', () => {
    const odd = { name: 'odd', kind: 'A', when: 'params.workers' };
    const world = new World().apply({ ...shop, components: [db, { name: 'a', kind: 'A' }, odd] });
    world.settle();
    expect(world.facts.release).toMatchObject({ phase: 'Failed', message: expect.stringMatching(/^odd cannot be made: when/) });
    expect(world.begun).toEqual([]);
    for (const name of ['db', 'a'])
      expect(component(world, name)).toMatchObject({ phase: 'Pending', message: 'is not begun: the release failed' });
  });

  it('says of what it does not change any more that it is not changed', () => {
    const paused = { ...going, updatePolicy: { onFailure: 'Pause', progressDeadlineSeconds: 60 } };
    const world = new World().apply(paused);
    world.rise();
    world.apply({ ...paused, components: [{ ...db, spec: { size: 2 } }, web, { ...worker, when: 'params.workers' }] });
    world.settle();
    expect(component(world, 'db')).toMatchObject({ phase: 'Running', ready: false, message: 'is not changed: the release failed' });
  });

  it('says of what goes back later that its turn has not come', () => {
    const world = brokenWorld();
    world.fail('web');
    world.settle();
    expect(world.last.phase).toBe('RollingBack');
    expect(component(world, 'db')).toMatchObject({ message: 'is not changed: its turn on the way back has not come' });
  });

  it('is Failed when there is nothing to go back to', () => {
    const world = new World().apply(going);
    world.settle();
    world.fail('db');
    world.settle();
    expect(world.last).toMatchObject({ steps: [], phase: 'Degraded' });
    expect(world.condition('Ready')).toMatch(/^False ReleaseFailed: db has failed: It did not come up; nothing further/);
  });
});
