import { describe, expect, it } from 'vitest';
import { component, db, going, shop, web } from './test-double/shop.ts';
import { World } from './test-double/world.ts';

describe('an application goes', () => {
  const risen = (): World => {
    const world = new World().apply({ ...shop, components: [...shop.components, { name: 'data', kind: 'A', deletionPolicy: 'Orphan' }] });
    world.rise();
    world.begun.length = 0;
    return world;
  };

  it('in reverse order, by what it has and not by its spec', () => {
    const world = risen();
    world.apply({ components: [] });
    world.deleting = 'Foreground';
    world.settle();
    expect(world.begun).toEqual(['release data', 'remove worker', 'remove web', 'remove db']);
    expect(world.last.steps).toEqual([]);
    expect(world.alive).toEqual(['data']);
  });

  it('without waiting for the last wave when that is not asked for', () => {
    const world = risen();
    world.deleting = 'Background';
    expect(world.pass().steps[0]?.input).toMatchObject({ inBackground: true, all: true });
    world.deleting = 'Foreground';
    expect(world.pass().steps[0]?.input).toMatchObject({ inBackground: false, all: true });
  });

  it('and lets all go free with Orphan', () => {
    const world = risen();
    world.deleting = 'Orphan';
    world.settle();
    expect(world.begun).toEqual(['release db', 'release data', 'release web', 'release worker']);
    expect(world.alive).toEqual(['data', 'db', 'web', 'worker']);
  });

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('also from the middle of a way back, by what is there and not by what it goes back to: %s, then %s', (user, used) => {
    const world = new World().apply({
      ...going,
      components: [
        { name: user, kind: 'A' },
        { name: used, kind: 'A', dependsOn: [user] },
      ],
    });
    world.rise();
    world.apply({
      ...going,
      components: [
        { name: used, kind: 'A', spec: { size: 2 } },
        { name: user, kind: 'A', spec: { size: 2 }, dependsOn: [used] },
      ],
    });
    world.rise(user);
    world.fail(user);
    world.pass();
    expect(world.facts.release?.phase).toBe('RollingBack');
    world.begun.length = 0;
    world.deleting = 'Foreground';
    world.settle();
    expect(world.begun.slice(-2)).toEqual([`remove ${user}`, `remove ${used}`]);
  });

  it('by what a cancelled step may have made, also when its release goes back before that has landed', () => {
    const world = new World().apply({ ...going, components: [{ name: 'user', kind: 'A' }] });
    world.rise();
    world.apply({
      ...going,
      components: [
        { name: 'used', kind: 'A' },
        { name: 'user', kind: 'A', spec: { size: 2 }, dependsOn: ['used'] },
      ],
    });
    world.settle();
    world.ready('used');
    world.pass();
    expect(world.begun.at(-1)).toBe('apply user');
    world.fail('used');
    world.pass();
    expect(world.facts.release?.phase).toBe('RollingBack');
    world.deleting = 'Foreground';
    world.settle();
    expect(world.begun.slice(-2)).toEqual(['remove user', 'remove used']);
  });

  it('and tells of each component how it is until it is gone, and then that it is', () => {
    const world = risen();
    world.deleting = 'Foreground';
    world.pass();
    expect(world.facts.readyComponents).toBe('4/4');
    expect(component(world, 'worker')).toMatchObject({ phase: 'Leaving', ready: true, message: 'goes when those that need it are gone' });
    expect(component(world, 'data')).toMatchObject({ phase: 'Kept', ready: true, message: 'stays, and belongs to nobody' });
    world.goes('worker');
    world.pass();
    expect(world.facts.readyComponents).toBe('3/4');
    expect(component(world, 'worker')).toMatchObject({ phase: 'Leaving', ready: false, message: 'The resource is being deleted' });
    world.goes('worker', true);
    world.goes('web');
    world.pass();
    expect(world.facts.readyComponents).toBe('2/4');
    expect(component(world, 'worker')).toEqual({ name: 'worker', kind: 'WorkerPool', phase: 'Gone', ready: false });
    expect(component(world, 'web')).toMatchObject({ phase: 'Leaving', ready: false, ref: { name: 'shop-web' } });
    expect(component(world, 'db')).toMatchObject({ phase: 'Leaving', ready: true });
    world.settle();
    expect(world.facts.components.map(({ name, phase }) => `${name} ${phase}`)).toEqual([
      'db Gone',
      'web Gone',
      'worker Gone',
      'data Kept',
    ]);
  });

  it('and tells of the last wave that it is leaving also when nobody waits for it', () => {
    const world = risen();
    world.deleting = 'Background';
    world.pass();
    for (const name of ['worker', 'web']) world.goes(name, true);
    world.goes('db');
    world.land();
    world.pass();
    expect(world.last.steps).toEqual([]);
    expect(world.facts.components.map(({ name, phase }) => `${name} ${phase}`)).toEqual([
      'db Leaving',
      'web Gone',
      'worker Gone',
      'data Kept',
    ]);
  });

  it('and tells of nobody as if it were still to come, though what a step may have made is not said to be gone', () => {
    const world = new World().apply({ components: [db, web, { name: 'never', kind: 'A', when: 'false' }] });
    world.pass();
    world.deleting = 'Foreground';
    world.pass();
    expect(world.facts.components).toEqual([
      { name: 'db', kind: 'Database', phase: 'Leaving', ready: false },
      { name: 'web', kind: 'WebService', phase: 'Gone', ready: false },
    ]);
    world.settle();
    expect(world.facts.components.map(({ phase }) => phase)).toEqual(['Gone', 'Gone']);
    expect(world.facts.readyComponents).toBe('0/2');
  });

  it('and shows how its components go without haste, but its own end at once', () => {
    const world = risen();
    world.deleting = 'Foreground';
    expect(world.pass().inDetail).toBeUndefined();
    world.goes('worker');
    expect(world.pass().inDetail).toBe(true);
    world.settle();
    expect(world.last).toMatchObject({ steps: [] });
    expect(world.last.inDetail).toBeUndefined();
  });

  it('also from the middle of a release', () => {
    const world = new World().apply(shop);
    world.pass();
    world.deleting = 'Background';
    world.pass();
    world.land();
    world.settle();
    expect(world.alive).toEqual([]);
  });
});
