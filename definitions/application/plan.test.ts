import { describe, expect, it } from 'vitest';
import type { ChildWish } from '../core/family.ts';
import type { Step } from '../core/step.ts';
import { component, db, shop, web, worker } from './test-double/shop.ts';
import { World } from './test-double/world.ts';

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

  it('with what they tell under names that have dots and spaces', () => {
    const statusOf = () => ({ zones: { 'eu.north': { url: 'n:1' }, plain: 'p:1' }, 'a b': 2 });
    const spec = {
      north: '${components.db.status.zones["eu.north"].url}',
      plain: '${components.db.status.zones.plain}',
      odd: '${components.db.status["a b"]}',
    };
    const world = new World({ statusOf }).apply({
      components: [
        { ...db, readyWhen: 'self.status.zones["eu.north"].url == "n:1"' },
        { ...web, spec },
      ],
    });
    world.rise();
    expect(world.thing('db')?.tells).toEqual(['status.zones.plain', 'status.zones["eu.north"].url', 'status["a\\u0020b"]']);
    expect(world.thing('web')?.spec).toEqual({ north: 'n:1', plain: 'p:1', odd: 2 });
    expect(world.last.phase).toBe('Ready');
    const waiting = new World({ statusOf: () => ({ zones: {} }) }).apply({ components: [db, { ...web, spec: { north: spec.north } }] });
    waiting.rise();
    expect(component(waiting, 'web')?.message).toBe('needs components.db.status.zones["eu.north"].url');
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
      message: expect.stringMatching(/^db was not ready in time: waits for the kind Database: nobody has registered it; nothing/),
    });
    expect(world.condition('Ready'), 'no other spec is wanted').toMatch(/^False KindUnknown: db was not ready in time/);
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
