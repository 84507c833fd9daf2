import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendApply } from '../activities/resources/send-apply.ts';
import type { ApplyRequest } from '../definitions/core/messages.ts';
import type { Manifest, Resource } from '../definitions/core/resource.ts';
import { requestState } from '../definitions/request-state/index.ts';
import type { ColonyClient, WatchEvent } from '../src/client/api.ts';
import {
  AlreadyExistsError,
  ConflictError,
  connect,
  DeletingError,
  GoneError,
  InvalidError,
  NotFoundError,
  NoWorkerError,
  TimeoutError,
  UnknownKindError,
  UnreachableError,
} from '../src/client/index.ts';
import { cloneRoot } from '../src/config.ts';
import { Programs } from './support/program.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

const namespace = leaseNamespace();
let colony: ColonyClient;
let worker: TestWorker;

const definition = (
  kind: string,
  schema: object = {
    type: 'object',
    properties: {
      size: { type: 'integer', minimum: 0 },
      colour: { type: 'string', default: 'red' },
      tags: { type: 'object', additionalProperties: { type: 'integer' } },
    },
  },
) => {
  const plural = `${kind.toLowerCase()}s`;
  return {
    kind: 'ResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      version: 'v1',
      names: { kind, plural, shortNames: [kind.slice(0, 2).toLowerCase()] },
      scope: 'Namespaced',
      schema,
      handler: null,
    },
  };
};
const widget = (name: string, spec: object = {}, metadata: object = {}): Manifest =>
  ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, ...metadata }, spec }) as Manifest;
const widgets = () => colony.resources('example.com/v1', 'Widget');
const historyLength = async (workflowId: string): Promise<number> => {
  const client = await connectClient(namespace);
  const { historyLength: length } = await client.workflow.getHandle(workflowId).describe();
  await client.connection.close();
  return length;
};
const names = (resources: readonly Resource[]): string[] => resources.map(({ metadata }) => metadata.name);

beforeAll(async () => {
  worker = await startWorker(namespace, { config: { rolloverEvents: 200 } });
  colony = await connect({ address: temporalAddress(), temporalNamespace: namespace, informer: { pollMs: 100 } });
  await colony.apply(definition('Widget'));
});
afterAll(async () => {
  await colony?.close();
  await worker?.stop();
});

describe('apply', () => {
  it('creates, changes, and finds nothing to change at no cost', async () => {
    const created = await colony.apply(widget('one', { size: 1 }));
    expect(created).toMatchObject({
      operation: 'created',
      generation: 1,
      manifest: { metadata: { namespace: 'default' }, spec: { colour: 'red' } },
    });
    expect(await colony.apply(widget('one', { size: 2 }))).toMatchObject({ operation: 'configured', generation: 2, uid: created.uid });
    await widgets().waitFor('one', 'Ready');
    const events = await historyLength('widgets.example.com/default/one');
    expect(await colony.apply(widget('one', { size: 2 }))).toMatchObject({ operation: 'unchanged', generation: 2, uid: created.uid });
    expect(await historyLength('widgets.example.com/default/one')).toBe(events);
  });

  it('refuses bad input with every path, and starts nothing', async () => {
    const refused = colony.apply(widget('bad', { size: -1, colour: 3, what: true }));
    await expect(refused).rejects.toThrow(InvalidError);
    const { issues } = (await refused.catch((error) => error)) as InvalidError;
    expect(issues.map(({ path }) => path).sort()).toEqual(['spec.colour', 'spec.size', 'spec.what']);
    await expect(widgets().get('bad')).rejects.toThrow(NotFoundError);
    await expect(historyLength('widgets.example.com/default/bad')).rejects.toThrow();
  });

  it.each([
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { kind: 'Widget' },
    { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'No Name' } },
  ])('refuses %j by name and path', async (input) => {
    const error = await colony.apply(input).catch((caught) => caught as InvalidError);
    expect(error).toBeInstanceOf(InvalidError);
    expect((error as InvalidError).issues[0]!.path).not.toBe('');
    expect((error as InvalidError).message).not.toMatch(/\n|at .*\.ts/);
  });

  it('gives a repeated request the answer of the first', async () => {
    const first = await colony.apply(widget('twice', { size: 1 }), { requestId: 'a' });
    await colony.apply(widget('twice', { size: 2 }), { requestId: 'b' });
    const again = await colony.apply(widget('twice', { size: 1 }), { requestId: 'a' });
    expect(again).toMatchObject({ generation: first.generation, operation: first.operation });
    expect((await widgets().get('twice')).spec).toMatchObject({ size: 2 });
  });

  it('only creates, or only updates, when told so', async () => {
    await colony.apply(widget('only', { size: 1 }), { only: 'create' });
    await expect(colony.apply(widget('only', { size: 2 }), { only: 'create' })).rejects.toThrow(AlreadyExistsError);
    await expect(colony.apply(widget('nobody', { size: 2 }), { only: 'update' })).rejects.toThrow(NotFoundError);
    await expect(historyLength('widgets.example.com/default/nobody')).rejects.toThrow();
  });

  it('writes only over the version it was told', async () => {
    const { resourceVersion } = await colony.apply(widget('versioned', { size: 1 }));
    const current = (await widgets().waitFor('versioned', 'Ready'))!.metadata.resourceVersion;
    if (current !== resourceVersion)
      await expect(colony.apply(widget('versioned', { size: 2 }, { resourceVersion }))).rejects.toThrow(ConflictError);
    expect(await colony.apply(widget('versioned', { size: 2 }, { resourceVersion: current }))).toMatchObject({ operation: 'configured' });
    await expect(colony.apply(widget('versioned', { size: 3 }, { resourceVersion: current }))).rejects.toThrow(ConflictError);
    await expect(colony.apply(widget('never', { size: 3 }, { resourceVersion: current }))).rejects.toThrow(ConflictError);
  });

  it('takes many at once, definitions first, and tells of each', async () => {
    const results = await colony.applyAll([
      { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g1' }, spec: { size: 1 } },
      widget('many', { size: 'large' }),
      definition('Gadget'),
    ]);
    expect(results).toMatchObject([
      { outcome: { operation: 'created' } },
      { error: { code: 'Invalid' } },
      { outcome: { operation: 'created' } },
    ]);
  });

  it('says what a dry run would do, and does nothing', async () => {
    expect(await colony.dryRun(widget('dry', { size: 1 }))).toMatchObject({
      operation: 'created',
      after: { spec: { size: 1, colour: 'red' } },
    });
    await expect(widgets().get('dry')).rejects.toThrow(NotFoundError);
    await colony.apply(widget('dry', { size: 1 }, { labels: { a: 'b' } }));
    expect(await colony.dryRun(widget('dry', { size: 1 }))).toMatchObject({ operation: 'unchanged' });
    expect(await colony.dryRun(widget('dry', { size: 2 }))).toMatchObject({
      operation: 'configured',
      before: { spec: { size: 1 } },
      after: { metadata: { labels: { a: 'b' } } },
    });
  });
});

describe('kinds', () => {
  it('are found by any of their names', async () => {
    for (const name of [
      'Widget',
      'widgets',
      'widget',
      'wi',
      'widgets.example.com',
      'Widget.example.com',
      'widgets.v1.example.com',
      'WIDGETS',
    ]) {
      expect((await colony.resolve(name)).names.kind).toBe('Widget');
    }
    expect((await colony.resolve('rs')).builtIn).toBe(true);
    expect((await colony.kinds()).map(({ names: { kind } }) => kind)).toEqual(
      expect.arrayContaining(['ResourceDefinition', 'RequestState', 'Widget']),
    );
  });

  it('that are unknown are refused with what is known', async () => {
    const wrongVersion = await colony.apply({ ...widget('x'), apiVersion: 'example.com/v2' }).catch((error) => error as UnknownKindError);
    expect(wrongVersion).toBeInstanceOf(UnknownKindError);
    expect((wrongVersion as UnknownKindError).message).toContain('v1');
    await expect(colony.resolve('widgetz')).rejects.toMatchObject({ code: 'UnknownKind', hint: expect.stringContaining('widgets') });
    await expect(colony.resolve("x' OR 1=1")).rejects.toThrow(UnknownKindError);
    await expect(colony.resources('nowhere.com/v1', 'Thing').list()).rejects.toThrow(UnknownKindError);
  });

  it('follow a change of their definition, also in a client that had read the old one', async () => {
    await colony.apply(definition('Changing', { type: 'object', properties: { a: { type: 'integer' } } }));
    const changing = (spec: object) => ({ apiVersion: 'example.com/v1', kind: 'Changing', metadata: { name: 'c' }, spec });
    await colony.apply(changing({ a: 1 }));
    const other = await connect({ address: temporalAddress(), temporalNamespace: namespace });
    await other.apply(definition('Changing', { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } }));
    await other.close();
    // The door knows at once; a worker may hold the old definition for two seconds.
    const apply = () => colony.apply(changing({ a: 1, b: 'new' })).catch((error) => error);
    await expect.poll(apply, { timeout: 5_000 }).toMatchObject({ operation: 'configured' });
  });

  it('cannot be undefined while there are resources of them', async () => {
    await colony.apply(definition('Held'));
    await colony.apply({ apiVersion: 'example.com/v1', kind: 'Held', metadata: { name: 'h' }, spec: {} });
    const definitions = colony.resources('colonies.io/v1', 'ResourceDefinition');
    await expect.poll(async () => names(await colony.resources('example.com/v1', 'Held').list()), { timeout: 10_000 }).toEqual(['h']);
    await expect
      .poll(() => definitions.delete('helds.example.com').catch((error) => error), { timeout: 5_000 })
      .toBeInstanceOf(ConflictError);
    const held = colony.resources('example.com/v1', 'Held');
    await held.delete('h');
    await expect
      .poll(
        () =>
          definitions.delete('helds.example.com').then(
            () => 'gone',
            (error) => error.code,
          ),
        { timeout: 10_000 },
      )
      .toBe('gone');
    await expect(colony.resolve('helds')).rejects.toThrow(UnknownKindError);
  });

  it('have one definition: a second one is refused, and one that came past the door hides no resource', async () => {
    await colony.apply(definition('Thing'));
    await colony.apply({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't1' }, spec: {} });
    const { spec } = definition('Thing');
    const second = { metadata: { name: 'thingz.example.com' }, spec: { ...spec, names: { ...spec.names, plural: 'thingz' } } };
    const other = await connect({ address: temporalAddress(), temporalNamespace: namespace });
    const refused = { issues: [{ path: 'spec.names.kind', message: expect.stringContaining('things.example.com') }] };
    for (const one of [colony, other]) {
      await expect(one.apply({ kind: 'ResourceDefinition', ...second })).rejects.toMatchObject(refused);
      await expect(one.dryRun({ kind: 'ResourceDefinition', ...second })).rejects.toMatchObject(refused);
    }
    await other.close();

    const temporal = await connectClient(namespace);
    const id = 'resourcedefinitions.colonies.io/-/thingz.example.com';
    await sendApply(temporal, 'ResourceDefinition', id, second as unknown as ApplyRequest);
    await temporal.connection.close();
    const definitions = colony.resources('colonies.io/v1', 'ResourceDefinition');
    await expect
      .poll(async () => (await definitions.get('thingz.example.com')).status?.conditions, { timeout: 10_000 })
      .toContainEqual(expect.objectContaining({ type: 'Established', status: 'False', reason: 'KindTaken' }));
    const fresh = await connect({ address: temporalAddress(), temporalNamespace: namespace });
    await expect.poll(async () => names(await fresh.resources('example.com/v1', 'Thing').list()), { timeout: 5_000 }).toEqual(['t1']);
    expect((await fresh.resolve('thing')).names.plural).toBe('things');
    await fresh.close();
  });

  it('keep their version while there are resources of them', async () => {
    await colony.apply(definition('Versed'));
    await colony.apply({ apiVersion: 'example.com/v1', kind: 'Versed', metadata: { name: 'v' }, spec: {} });
    await expect.poll(async () => names(await colony.resources('example.com/v1', 'Versed').list()), { timeout: 10_000 }).toEqual(['v']);
    const { kind, metadata, spec } = definition('Versed');
    const next = { kind, metadata, spec: { ...spec, version: 'v2' } };
    const refused = { code: 'Conflict', message: expect.stringContaining('there is 1 resource of kind Versed') };
    await expect(colony.dryRun(next)).rejects.toMatchObject(refused);
    await expect(colony.apply(next)).rejects.toMatchObject(refused);

    const temporal = await connectClient(namespace);
    const id = 'resourcedefinitions.colonies.io/-/verseds.example.com';
    await sendApply(temporal, 'ResourceDefinition', id, { spec: next.spec } as unknown as ApplyRequest);
    await temporal.connection.close();
    const definitions = colony.resources('colonies.io/v1', 'ResourceDefinition');
    await expect
      .poll(async () => (await definitions.get('verseds.example.com')).status, { timeout: 10_000 })
      .toMatchObject({
        notFitting: [{ name: 'v', issues: [{ path: 'apiVersion' }] }],
        conditions: expect.arrayContaining([expect.objectContaining({ type: 'InstancesFit', status: 'False' })]),
      });
  });

  it('whose definition was torn away leave resources that can still be seen and deleted', async () => {
    await colony.apply(definition('Lost'));
    await colony.apply({ apiVersion: 'example.com/v1', kind: 'Lost', metadata: { name: 'l' }, spec: {} });
    await expect.poll(async () => names(await colony.resources('example.com/v1', 'Lost').list())).toEqual(['l']);
    await colony.resources('colonies.io/v1', 'ResourceDefinition').delete('losts.example.com', { force: true });
    const fresh = await connect({ address: temporalAddress(), temporalNamespace: namespace });
    const { kind } = await fresh.resolve('losts');
    expect(kind.names.kind).toBe('Lost');
    await expect(fresh.apply({ apiVersion: 'example.com/v1', kind: 'Lost', metadata: { name: 'm' }, spec: {} })).rejects.toThrow(
      UnknownKindError,
    );
    const lost = fresh.resources('example.com/v1', 'Lost');
    await lost.delete('l', { force: true });
    await expect(lost.get('l')).rejects.toThrow();
    await fresh.close();
  });
});

describe('reading', () => {
  it('sees its own writes at once', async () => {
    for (let size = 0; size < 20; size++) {
      await colony.apply(widget('mine', { size }));
      expect((await widgets().get('mine')).spec).toMatchObject({ size });
    }
  });

  it('lists by namespace and label, sorted', async () => {
    const put = (name: string, ns: string, labels: Record<string, string>) => colony.apply(widget(name, {}, { namespace: ns, labels }));
    await Promise.all([
      put('b', 'list-one', { app: 'x' }),
      put('a', 'list-one', { app: 'y', tier: 'db' }),
      put('c', 'list-two', { app: 'x' }),
    ]);
    const list = async (options: object) => names(await widgets().list(options));
    await expect.poll(() => list({ namespace: 'list-one' })).toEqual(['a', 'b']);
    await expect.poll(() => list({ allNamespaces: true, labels: 'app=x' })).toEqual(['b', 'c']);
    expect(await list({ namespace: 'list-one', labels: 'app in (x,y),!tier' })).toEqual(['b']);
    expect(await list({ namespace: 'list-one', cached: true })).toEqual(['a', 'b']);
    expect(names(await colony.list({ namespace: 'list-two' }))).toEqual(['c']);
    await expect(list({ namespace: "x' OR WorkflowType != '" })).rejects.toThrow(InvalidError);
    await expect(list({ labels: 'a in (' })).rejects.toThrow(InvalidError);
  });

  it('reads resources that are too large for the index whole', async () => {
    const note = 'x'.repeat(40_000);
    await colony.apply(definition('Large', { type: 'object', properties: { note: { type: 'string' } } }));
    const large = colony.resources('example.com/v1', 'Large');
    await large.apply({ metadata: { name: 'big' }, spec: { note } });
    expect((await large.waitFor('big', 'Ready'))?.spec).toEqual({ note });
    expect((await large.get('big')).spec).toEqual({ note });
    await expect.poll(async () => (await large.list())[0]?.spec).toEqual({ note });
  });

  it('knows what happened, and what the spec was', async () => {
    for (const size of [1, 2, 3]) await colony.apply(widget('told', { size }));
    expect((await widgets().history('told')).map(({ generation }) => generation)).toEqual(expect.arrayContaining([1, 2]));
    expect((await widgets().events('told')).length).toBeGreaterThan(0);
    await widgets().rollback('told', { to: 1 });
    expect((await widgets().get('told')).spec).toMatchObject({ size: 1 });
    await expect(widgets().rollback('told', { to: 99 })).rejects.toThrow(InvalidError);
    await expect(widgets().events('nobody')).rejects.toThrow(NotFoundError);
  });
});

describe('editing', () => {
  it('loses no write of eight writers', async () => {
    await colony.apply(widget('shared', { tags: {} }));
    await Promise.all(Array.from({ length: 8 }, (_, i) => widgets().setPath('shared', `spec.tags.t${i}`, i)));
    expect((await widgets().get('shared')).spec).toMatchObject({ tags: { t0: 0, t1: 1, t2: 2, t3: 3, t4: 4, t5: 5, t6: 6, t7: 7 } });
  });

  it('sets and removes labels and fields, and refuses what cannot be set', async () => {
    await colony.apply(widget('edited', { size: 1 }, { labels: { keep: 'me' } }));
    await widgets().setPath('edited', 'metadata.labels["example.com/team"]', 'a');
    expect((await widgets().get('edited')).metadata.labels).toEqual({ keep: 'me', 'example.com/team': 'a' });
    await widgets().setPath('edited', 'spec.size', undefined);
    expect((await widgets().get('edited')).spec).toEqual({ colour: 'red' });
    await widgets().setPath('edited', 'metadata.finalizers', ['example.com/hold']);
    for (const set of ['labels', 'finalizers']) await widgets().setPath('edited', `metadata.${set}`, undefined);
    expect((await widgets().get('edited')).metadata).toMatchObject({ labels: {}, finalizers: [] });
    await expect(widgets().setPath('edited', 'spec.size', 'large')).rejects.toThrow(InvalidError);
    await expect(widgets().setPath('edited', 'metadata.name', 'x')).rejects.toThrow(InvalidError);
    await expect(widgets().setPath('edited', 'status.phase', 'x')).rejects.toThrow(InvalidError);
  });

  it('stays paused when the manifest as before is applied again, which changes nothing', async () => {
    const same = widget('still', { size: 1 }, { annotations: { note: 'mine' } });
    await colony.apply(same);
    await widgets().pause('still');
    expect((await colony.dryRun(same)).operation).toBe('unchanged');
    expect((await colony.apply(same)).operation).toBe('unchanged');
    const before = await historyLength('widgets.example.com/default/still');
    expect((await colony.apply(same)).operation).toBe('unchanged');
    expect(await historyLength('widgets.example.com/default/still')).toBe(before);
    expect((await widgets().get('still')).metadata.annotations).toEqual({ note: 'mine', 'colony.io/paused': 'true' });
    await widgets().setPath('still', 'metadata.annotations["colony.io/paused"]', undefined);
    expect((await widgets().get('still')).metadata.annotations).toEqual({ note: 'mine' });
  });

  it('pauses and goes on without touching spec or other annotations', async () => {
    await colony.apply(widget('paused', { size: 1 }, { annotations: { note: 'mine' } }));
    await widgets().pause('paused');
    expect((await widgets().get('paused')).metadata).toMatchObject({
      generation: 1,
      annotations: { note: 'mine', 'colony.io/paused': 'true' },
    });
    await widgets().resume('paused');
    expect((await widgets().get('paused')).metadata.annotations).toEqual({ note: 'mine' });
    await widgets().reconcile('paused', { force: true });
    await expect(widgets().reconcile('nobody')).rejects.toThrow(NotFoundError);
  });

  it('speaks a kind’s own verbs, typed', async () => {
    const requests = colony.kind(requestState);
    await requests.apply({ metadata: { name: 'r1' }, spec: { 'request-uid': 'u', job: 'JOB1', state: 'REQUESTED' } });
    const { spec } = await requests.get('r1');
    expect(spec.state satisfies string).toBe('REQUESTED');
    await expect(requests.command('r1', 'dance')).rejects.toMatchObject({ code: 'UnknownCommand' });
    await expect(requests.setPath('r1', 'spec.state', 'COMPLETED')).rejects.toThrow(InvalidError);
  });

  it('lets a controller outside write the status of a kind that nobody handles', async () => {
    await colony.apply(widget('outside', { size: 1 }));
    expect(await widgets().updateStatus('outside', { note: 'hello' })).toMatchObject({ generation: 1 });
    await expect.poll(async () => (await widgets().get('outside')).status).toMatchObject({ note: 'hello' });
    await expect(widgets().updateStatus('nobody', { note: 'hello' })).rejects.toThrow(NotFoundError);
  });
});

describe('waiting and deleting', () => {
  it('waits for the condition of the generation in force', async () => {
    await colony.apply(widget('awaited', { size: 1 }));
    expect(await widgets().waitFor('awaited', 'ready')).toMatchObject({ status: { observedGeneration: 1 } });
    await colony.apply(widget('awaited', { size: 2 }));
    expect(await widgets().waitFor('awaited', 'Ready')).toMatchObject({ status: { observedGeneration: 2 } });
    await expect(widgets().waitFor('awaited', 'Ready', { status: 'False', timeoutMs: 300 })).rejects.toThrow(TimeoutError);
    await expect(widgets().waitFor('nobody', 'Ready')).rejects.toThrow(NotFoundError);
    expect(await widgets().waitFor('nobody', 'deleted')).toBeUndefined();
  });

  it('is gone when delete comes back, and can be made anew under another uid', async () => {
    const { uid } = await colony.apply(widget('mortal', { size: 1 }));
    await expect(widgets().delete('mortal', { uid: 'other' })).rejects.toThrow(ConflictError);
    expect(await widgets().delete('mortal')).toMatchObject({ uid });
    await expect(widgets().get('mortal')).rejects.toThrow(NotFoundError);
    await expect(widgets().delete('mortal')).rejects.toThrow(NotFoundError);
    expect((await colony.apply(widget('mortal', { size: 1 }))).uid).not.toBe(uid);
  });

  it('says by whom a deletion is held, and takes no more changes meanwhile', async () => {
    await colony.apply(widget('held', { size: 1 }, { finalizers: ['example.com/hold'] }));
    const waited = widgets().delete('held', { timeoutMs: 500 });
    await expect(waited).rejects.toThrow(TimeoutError);
    await expect(colony.apply(widget('held', { size: 2 }))).rejects.toThrow(DeletingError);
    await widgets().setPath('held', 'metadata.finalizers', []);
    await widgets().waitFor('held', 'deleted', { timeoutMs: 5_000 });
  });
});

describe('watching', () => {
  const collect = (options: object = {}) => {
    const stop = new AbortController();
    const seen: string[] = [];
    const events: WatchEvent[] = [];
    const ended = (async () => {
      for await (const event of widgets().watch({ ...options, signal: stop.signal })) {
        events.push(event);
        seen.push(`${event.type} ${event.resource.metadata.name}`);
      }
    })();
    return { seen, events, ended, stop: () => stop.abort() };
  };

  it('begins with what is there and tells of every change and deletion', async () => {
    await colony.apply(widget('w1', { size: 1 }, { namespace: 'watched' }));
    await expect.poll(async () => (await widgets().list({ namespace: 'watched' })).length).toBe(1);
    const { seen, ended, stop } = collect({ namespace: 'watched' });
    await expect.poll(() => seen).toContain('ADDED w1');
    await colony.apply(widget('w2', { size: 1 }, { namespace: 'watched' }));
    await expect.poll(() => seen).toContain('ADDED w2');
    await colony.apply(widget('w1', { size: 2 }, { namespace: 'watched' }));
    await expect.poll(() => seen).toContain('MODIFIED w1');
    await widgets().delete({ name: 'w2', namespace: 'watched' });
    await expect.poll(() => seen).toContain('DELETED w2');
    stop();
    await ended;
  });

  it('sees a resource come and go as its labels do', async () => {
    const labelled = (labels: object) => colony.apply(widget('l1', { size: 1 }, { namespace: 'labelled', labels }));
    await labelled({ app: 'x' });
    const { seen, ended, stop } = collect({ namespace: 'labelled', labels: 'app=x' });
    await expect.poll(() => seen).toContain('ADDED l1');
    await labelled({ app: 'y' });
    await expect.poll(() => seen.at(-1)).toBe('DELETED l1');
    await labelled({ app: 'x' });
    await expect.poll(() => seen.at(-1)).toBe('ADDED l1');
    stop();
    await ended;
  });

  it('goes on where it was, and says so when it cannot', async () => {
    await colony.apply(widget('r1', { size: 1 }, { namespace: 'resumed' }));
    const first = collect({ namespace: 'resumed' });
    await expect.poll(() => first.seen).toContain('ADDED r1');
    await colony.apply(widget('r2', { size: 1 }, { namespace: 'resumed' }));
    await expect.poll(() => first.seen).toContain('ADDED r2');
    first.stop();
    const last = first.events.findLast(({ resource }) => resource.metadata.name === 'r2')!;
    await colony.apply(widget('r3', { size: 1 }, { namespace: 'resumed' }));
    const second = collect({ namespace: 'resumed', since: last.resource.metadata.resourceVersion });
    await expect.poll(() => second.seen).toContain('ADDED r3');
    expect(second.seen).not.toContain('ADDED r1');
    second.stop();
    await expect(collect({ since: '12345' }).ended).rejects.toThrow(GoneError);
  });

  it('misses nothing and invents nothing while resources roll over', async () => {
    const { events, ended, stop } = collect({ namespace: 'rolling' });
    const client = await connectClient(namespace);
    const all = ['a', 'b', 'c'];
    for (let size = 0; size < 60; size++) {
      await Promise.all(all.map((name) => colony.apply(widget(name, { size }, { namespace: 'rolling' }))));
    }
    const runs = await Promise.all(all.map((name) => client.workflow.getHandle(`widgets.example.com/rolling/${name}`).describe()));
    for (const { raw, runId } of runs) expect(runId).not.toBe(raw.workflowExecutionInfo?.firstRunId);
    const sizes = () => all.map((name) => events.findLast(({ resource }) => resource.metadata.name === name)?.resource.spec.size);
    await expect.poll(sizes, { timeout: 5_000 }).toEqual([59, 59, 59]);
    expect(events.filter(({ type }) => type === 'ADDED')).toHaveLength(3);
    expect(events.filter(({ type }) => type === 'DELETED')).toHaveLength(0);
    stop();
    await ended;
    await client.connection.close();
  });

  it('sees an end that nobody announced', async () => {
    const { seen, ended, stop } = collect({ namespace: 'ended' });
    await colony.apply(widget('t1', { size: 1 }, { namespace: 'ended' }));
    await expect.poll(() => seen).toContain('ADDED t1');
    const client = await connectClient(namespace);
    await client.workflow.getHandle('widgets.example.com/ended/t1').terminate();
    await expect.poll(() => seen, { timeout: 5_000 }).toContain('DELETED t1');
    stop();
    await ended;
    await client.connection.close();
  });
});

describe('a program that does nothing but watch', () => {
  const programs = new Programs(namespace);
  afterAll(() => programs.endAll());

  it('stays alive until it has heard enough, and then ends without being told to', async () => {
    const script = `
      import { connect } from ${JSON.stringify(join(cloneRoot(), 'dist', 'client.mjs'))};
      const colony = await connect();
      for await (const { type } of colony.resources('example.com/v1', 'Widget').watch({ namespace: 'alone' })) {
        console.log(type);
        if (type === 'DELETED') break;
      }`;
    const program = programs.start(process.execPath, ['--input-type=module', '--eval', script]);
    await sleep(1_500); // longer than anything that would hold it by chance
    const alone = { name: 'one', namespace: 'alone' };
    await colony.apply(widget('one', {}, alone));
    await program.says(/ADDED/);
    await widgets().delete(alone);
    expect(await program.ended).toBe(0);
  });
});

describe('without help', () => {
  it('says at once that nobody is there', async () => {
    const started = performance.now();
    await expect(connect({ address: '127.0.0.1:1' })).rejects.toThrow(UnreachableError);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('gives up when no worker answers, says what to do, and still reads what was published', async () => {
    const lonely = leaseNamespace();
    const helper = await startWorker(lonely);
    const client = await connect({ address: temporalAddress(), temporalNamespace: lonely, timeoutMs: 2_000 });
    await client.apply(definition('Widget'));
    await client.apply(widget('left', { size: 1 }));
    const left = client.resources('example.com/v1', 'Widget');
    await left.waitFor('left', 'Ready');
    await helper.stop();
    const error = await client.apply(widget('left', { size: 2 })).catch((caught) => caught as NoWorkerError);
    expect(error).toBeInstanceOf(NoWorkerError);
    expect((error as NoWorkerError).hint).toMatch(/npm start.* may still happen; sending it again does no harm/);
    expect((await left.get('left')).spec).toMatchObject({ size: 1 });
    expect(names(await left.list())).toEqual(['left']);
    await expect(left.events('left')).rejects.toThrow(NoWorkerError);
    await client.close();
  });
});
