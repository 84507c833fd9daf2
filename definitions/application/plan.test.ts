import { describe, expect, it } from 'vitest';
import type { ChildWish } from '../core/family.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import { commands } from './commands.ts';
import { World } from './test-double/world.ts';

const db = { name: 'db', kind: 'Database', spec: { size: 1 } };
const web = { name: 'web', kind: 'WebService', spec: { url: '${components.db.status.url}' } };
const worker = { name: 'worker', kind: 'WorkerPool', spec: { size: '${params.workers}' }, dependsOn: ['web'] };
const shop = { params: { workers: 2 }, components: [db, web, worker] };
const going = { ...shop, updatePolicy: { onFailure: 'Rollback', progressDeadlineSeconds: 60 } };

const component = (world: World, name: string) => world.facts.components.find((one) => one.name === name);
const retried = (world: World): void => {
  const { remember } = commands.retry?.(world.view(), {}, { actor: 'me', now: world.now }) ?? {};
  world.observed = {
    ...world.observed,
    release: { key: 'command', generation: world.generation, at: world.now, value: remember?.release },
  };
};

describe('an application comes up', () => {
  it('in waves, each when those that it needs are ready', () => {
    const world = new World().apply(shop);
    world.settle();
    expect(world.alive).toEqual(['db']);
    world.ready('db');
    world.settle();
    expect(world.alive).toEqual(['db', 'web']);
    world.ready('web');
    world.settle();
    expect(world.alive).toEqual(['db', 'web', 'worker']);
    expect(world.facts.readyComponents).toBe('2/3');
    world.ready('worker');
    world.settle();
    expect(world.begun).toEqual(['apply db', 'apply web', 'apply worker']);
    expect(world.last).toMatchObject({ steps: [], phase: 'Ready' });
    expect(world.last.wakeAt).toBeUndefined();
    expect(world.facts).toMatchObject({ readyComponents: '3/3', stableGeneration: 1, release: { generation: 1, phase: 'Complete' } });
    expect(world.condition('Ready')).toBe('True AllComponentsReady: 3 of 3 components are ready.');
  });

  it('all at once when nobody needs anybody', () => {
    const world = new World().apply({ components: [db, { kind: 'A' }, { kind: 'A' }] });
    world.settle();
    expect(world.begun).toEqual(['apply db', 'apply a', 'apply a-2']);
  });

  it('with what components tell and with params, and passes secrets by reference', () => {
    const spec = { url: 'http://${components.db.status.url}/', password: '${components.db.secret.password}', size: '${params.workers}' };
    const world = new World().apply({ ...shop, components: [db, { ...web, spec }] });
    world.rise();
    expect(world.thing('web')?.spec).toEqual({
      url: 'http://shop-db:1/',
      password: '${secret:databases.example.com/default/shop-db#password}',
      size: 2,
    });
  });

  it('passes on a secret that it was itself given by reference, also inside a text', () => {
    const passed = '${secret:databases.example.com/default/other#password}';
    const spec = { a: passed, b: [`x:${passed}@${'${components.db.status.url}'}`], c: '$${secret:literal}' };
    const world = new World().apply({ components: [db, { ...web, spec }] });
    world.rise();
    expect(world.thing('web')?.spec).toEqual({ a: passed, b: [`x:${passed}@shop-db:1`], c: '${secret:literal}' });
  });

  it('and says what waits for what', () => {
    const world = new World().apply(shop);
    world.settle();
    expect(world.condition('WiringPending')).toBe('True WaitingForComponents: web waits for db; worker waits for web.');
    expect(component(world, 'web')).toEqual({
      name: 'web',
      kind: 'WebService',
      phase: 'Waiting',
      ready: false,
      waitingFor: ['db'],
      message: 'waits for db',
    });
    expect(world.condition('Ready')).toBe('False RollingOut: 0 of 3 components are ready: db: It starts.');
    world.rise();
    expect(world.condition('WiringPending')).toBe('False AllWired: Every component has what it needs.');
  });

  it('waits for a value that a ready component does not tell', () => {
    const world = new World({ statusOf: () => ({}) }).apply(shop);
    world.rise();
    expect(world.alive).toEqual(['db']);
    expect(component(world, 'web')).toMatchObject({ waitingFor: ['components.db.status.url'], message: 'needs components.db.status.url' });
  });

  it('waits for a kind that nobody has registered, and goes on when it comes', () => {
    const known = new Set(['WebService']);
    const world = new World({ knows: (kind) => known.has(kind) }).apply({ components: [{ ...db }, { name: 'site', kind: 'WebService' }] });
    world.settle();
    expect(world.alive).toEqual(['site']);
    expect(component(world, 'db')).toMatchObject({
      phase: 'Waiting',
      waitingFor: ['kind Database'],
      message: 'waits for the kind Database: nobody has registered it',
    });
    expect(world.condition('Ready')).toMatch(/^False KindUnknown: 0 of 2 .*: db waits for the kind Database/);
    known.add('Database');
    world.land();
    world.rise();
    expect(world.last.phase).toBe('Ready');
  });

  it('names every component that waits for a kind in WiringPending, and no longer says that all have what they need', () => {
    const known = new Set<string>();
    const world = new World({ knows: (kind) => known.has(kind) });
    world.apply({ components: [db, { kind: 'WebService', apiVersion: 'example.com/v1' }, { name: 'late', kind: 'A', dependsOn: ['db'] }] });
    world.settle();
    expect(world.condition('WiringPending')).toBe(
      'True WaitingForComponents: db waits for the kind Database: nobody has registered it; webservice waits for the kind example.com/v1 WebService: nobody has registered it; late waits for db.',
    );
    expect(component(world, 'webservice')?.waitingFor).toEqual(['kind example.com/v1 WebService']);
    known.add('Database').add('A');
    world.land();
    world.rise();
    expect(world.condition('WiringPending')).toBe(
      'True KindUnknown: webservice waits for the kind example.com/v1 WebService: nobody has registered it.',
    );
    known.add('WebService');
    world.land();
    world.rise();
    expect(world.condition('WiringPending')).toBe('False AllWired: Every component has what it needs.');
  });

  it('names a component that waits for a kind also while another one is refused', () => {
    const world = new World({ knows: (kind) => kind !== 'Widget', refuses: ({ kind }) => kind === 'A' });
    world.apply({ components: [{ kind: 'A' }, { kind: 'Widget' }] });
    world.settle();
    expect(world.condition('Degraded')).toMatch(/^True Refused: a: A shop-a is not taken/);
    expect(world.condition('WiringPending')).toBe('True KindUnknown: widget waits for the kind Widget: nobody has registered it.');
  });

  it.each([
    {
      name: 'to whom a resource belongs that is there already',
      problem: { reason: 'NotOwned', message: 'Database shop-db exists and belongs to Application other' },
      report: { phase: 'Blocked', message: 'Database shop-db exists and belongs to Application other' },
      degraded: 'True NotOwned: db: Database shop-db exists and belongs to Application other.',
      wiring: 'False AllWired: Every component has what it needs.',
    },
    {
      name: 'that several kinds have the name',
      problem: { reason: 'KindAmbiguous', message: 'kind Database is known in a.com/v1, b.com/v1; say which by apiVersion' },
      report: { phase: 'Waiting', message: 'is unclear: kind Database is known in a.com/v1, b.com/v1; say which by apiVersion' },
      degraded: 'False AsExpected: Nothing is known to be wrong.',
      wiring: 'True KindAmbiguous: db is unclear: kind Database is known in a.com/v1, b.com/v1; say which by apiVersion.',
    },
  ])('says $name', ({ problem, report, degraded, wiring }) => {
    const world = new World().apply({ components: [db] });
    const [step] = world.pass().steps as [Step];
    const [{ digest }] = step.input.wishes as [ChildWish];
    world.flights = [];
    const value = { children: [], problems: [{ key: 'db', digest, ...problem }] };
    world.observed = { children: { key: step.key, generation: 1, at: world.now, value } };
    world.pass();
    expect(component(world, 'db')).toMatchObject(report);
    expect(world.condition('Degraded')).toBe(degraded);
    expect(world.condition('WiringPending')).toBe(wiring);
  });

  it('goes on by itself with a late kind although the release has failed in between', () => {
    const known = new Set<string>();
    const world = new World({ knows: (kind) => known.has(kind) }).apply(shop);
    world.settle();
    world.now += 601_000;
    world.settle();
    expect(world.facts.release).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(/^db, web, worker were not ready in time/),
    });
    expect(world.last.phase).toBe('Degraded');
    for (const kind of ['Database', 'WebService', 'WorkerPool']) known.add(kind);
    world.land();
    world.rise();
    expect(world.last.phase).toBe('Ready');
  });

  it('leaves out what is not wanted, and says who misses it', () => {
    const world = new World().apply({
      components: [
        { ...db, when: 'false' },
        { name: 'plain', kind: 'A', dependsOn: ['db'] },
        { name: 'guarded', kind: 'A', spec: { url: '${has(components.db.status.url) ? components.db.status.url : "none"}' } },
        web,
      ],
    });
    world.rise();
    expect(world.alive).toEqual(['guarded', 'plain']);
    expect(world.thing('guarded')?.spec).toEqual({ url: 'none' });
    expect(component(world, 'db')).toMatchObject({ phase: 'Skipped', ready: false });
    expect(world.condition('WiringPending')).toBe('True WaitingForComponents: web needs components.db.status.url, but db is not wanted.');
    expect(world.facts.readyComponents).toBe('2/3');
  });

  it('decides by what another one tells only when that one is ready', () => {
    const world = new World().apply({ components: [db, { name: 'extra', kind: 'A', when: '!has(components.db.status.url)' }] });
    world.settle();
    expect(world.alive).toEqual(['db']);
    world.rise();
    expect(world.alive).toEqual(['db']);
    expect(world.last.phase).toBe('Ready');
  });

  it('calls a component ready only when readyWhen says so, too', () => {
    const world = new World({ statusOf: (_name, spec) => ({ url: 'x', seats: spec.size }) });
    world.apply({ components: [{ ...db, readyWhen: "self.status.seats > 1 && self.phase == 'Running'" }, web] });
    world.rise();
    expect(world.alive).toEqual(['db']);
    expect(component(world, 'db')).toMatchObject({ ready: false, message: expect.stringContaining('is ready when self.status.seats > 1') });
    world.apply({ components: [{ ...db, spec: { size: 2 }, readyWhen: 'self.status.seats > 1' }, web] });
    world.rise();
    expect(world.last.phase).toBe('Ready');
  });

  it('tells its outputs as soon as they are known', () => {
    const world = new World().apply({ ...shop, outputs: { url: 'at ${components.db.status.url}', workers: '${params.workers}' } });
    world.settle();
    expect(world.facts.outputs).toEqual({ workers: 2 });
    world.rise();
    expect(world.facts.outputs).toEqual({ url: 'at shop-db:1', workers: 2 });
  });

  it('begins nothing while it is suspended', () => {
    const world = new World().apply({ ...shop, suspend: true });
    world.settle();
    expect(world.last).toMatchObject({ steps: [], phase: 'Suspended' });
    expect(component(world, 'db')).toMatchObject({ phase: 'Pending', message: 'is not begun: suspend is true' });
    world.now += 10_000_000;
    world.settle();
    expect(world.facts.release?.phase).toBe('Progressing');
    world.apply(shop);
    world.rise();
    expect(world.last.phase).toBe('Ready');
  });
});

describe('an application with a hundred components', () => {
  it('has a status that fits into a list, and no more than one step at a time', () => {
    const spec = { env: Array.from({ length: 5 }, (_, index) => ({ name: `E${index}`, value: '${components.hub.status.url}' })) };
    const parts = Array.from({ length: 99 }, (_, index) => ({ name: `component-${index}`, kind: 'WebService', spec }));
    const world = new World().apply({ components: [{ name: 'hub', kind: 'Database' }, ...parts] });
    world.settle();
    world.ready('hub');
    expect(world.pass().steps).toHaveLength(1);
    world.settle();
    for (const { name } of parts) world.ready(name);
    world.settle();
    expect(world.last.phase).toBe('Ready');
    expect(JSON.stringify(world.last.status).length).toBeLessThan(48 * 1024);
  });
});

describe('an application changes', () => {
  it('only those whose own manifest changes, in order', () => {
    const world = new World({ statusOf: (name, { size }) => ({ url: `${name}/${size}` }) }).apply(shop);
    world.rise();
    world.begun.length = 0;
    world.apply({ ...shop, components: [{ ...db, spec: { size: 2 } }, web, worker] });
    world.settle();
    expect(world.begun).toEqual(['apply db']);
    expect(world.thing('web')?.spec).toEqual({ url: 'shop-db/1' });
    world.rise();
    expect(world.begun).toEqual(['apply db', 'apply web']);
    expect(world.thing('web')?.spec).toEqual({ url: 'shop-db/2' });
  });

  it('leaves what works alone while what it needs is down', () => {
    const world = new World().apply(shop);
    world.rise();
    world.begun.length = 0;
    world.fall('db');
    world.settle();
    expect(world.begun).toEqual([]);
    expect(world.alive).toEqual(['db', 'web', 'worker']);
    expect(world.last.phase).toBe('Degraded');
    expect(world.facts.readyComponents).toBe('2/3');
    expect(world.condition('Degraded')).toBe('True ComponentsNotReady: db: It starts.');
    world.ready('db');
    world.settle();
    expect(world.last).toMatchObject({ steps: [], phase: 'Ready' });
  });

  it('takes away what is no component any more when all others are ready, those first that need others', () => {
    const world = new World().apply(shop);
    world.rise();
    world.begun.length = 0;
    world.apply({ components: [{ name: 'new', kind: 'A' }] });
    world.settle();
    expect(world.alive).toEqual(['db', 'new', 'web', 'worker']);
    expect(component(world, 'db')).toMatchObject({ phase: 'Leaving' });
    world.rise();
    expect(world.begun).toEqual(['apply new', 'remove worker', 'remove web', 'remove db']);
    expect(world.alive).toEqual(['new']);
    expect(world.last).toMatchObject({ steps: [], phase: 'Ready' });
  });

  it('is not ready as long as something goes', () => {
    const world = new World().apply({ components: [db, { name: 'x', kind: 'A' }] });
    world.rise();
    world.apply({ components: [db] });
    world.pass();
    expect(world.condition('Ready')).toBe('False RollingOut: 1 of 1 components are ready; 1 that is no longer wanted goes.');
    expect(world.facts.stableGeneration).toBe(2);
  });

  it('keeps what is no component any more when prune is false, and lets go free what says so', () => {
    const world = new World().apply({ components: [db, { name: 'x', kind: 'A', deletionPolicy: 'Orphan' }] });
    world.rise();
    world.apply({ components: [], prune: false });
    world.settle();
    expect(world.alive).toEqual(['db', 'x']);
    expect(world.last.phase).toBe('Ready');
    expect(component(world, 'db')).toMatchObject({ phase: 'Kept', ready: true });
    world.begun.length = 0;
    world.apply({ components: [] });
    world.settle();
    expect(world.begun).toEqual(['release x', 'remove db']);
  });

  it('replaces what was retyped or renamed: the new one first, then those that use it, then the old one goes', () => {
    const world = new World().apply({ components: [db, web] });
    world.rise();
    world.begun.length = 0;
    world.apply({ components: [{ ...db, kind: 'Postgres' }, web] });
    world.settle();
    expect(world.alive).toEqual(['db', 'db', 'web']);
    world.rise();
    expect(world.begun).toEqual(['apply db', 'remove db']);
    expect(world.thing('db')?.ref.kind).toBe('Postgres');
    world.begun.length = 0;
    world.apply({
      components: [
        { ...db, kind: 'Postgres', name: 'base' },
        { ...web, spec: { url: '${components.base.status.url}' } },
      ],
    });
    world.rise();
    expect(world.begun).toEqual(['apply base', 'apply web', 'remove db']);
  });

  it('brings back what somebody else changed', () => {
    const world = new World().apply({ components: [db] });
    world.rise();
    const thing = world.thing('db');
    if (thing) world.things.set(thing.ref.id, { ...thing, spec: { size: 9 }, generation: 2 });
    world.ready('db');
    world.rise();
    expect(world.thing('db')?.spec).toEqual({ size: 1 });
    expect(world.last.phase).toBe('Ready');
  });
});

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
    expect(world.condition('Ready')).toBe('False RolledBack: web, worker were not ready in time; everything was taken back.');
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
    expect(world.condition('Degraded')).toMatch(/^True ReleaseFailed: db, a, b were not ready in time; nothing further is begun/);
    world.ready('a');
    world.settle();
    expect(world.begun).toEqual(['apply a']);
    world.ready('db');
    world.rise();
    expect(world.begun).toEqual(['apply a', 'apply b']);
    expect(world.last.phase).toBe('Ready');
  });

  it('stays Failed while a value is missing, and goes on when it comes', () => {
    let status: JsonObject = {};
    const world = new World({ statusOf: () => status }).apply({ ...shop, updatePolicy: { progressDeadlineSeconds: 60 } });
    world.rise();
    world.now = world.last.wakeAt ?? 0;
    for (let pass = 0; pass < 3; pass += 1) {
      world.settle();
      expect(world.facts.release).toMatchObject({ phase: 'Failed', message: expect.stringMatching(/^web, worker were not ready in time/) });
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
