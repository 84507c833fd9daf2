import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Condition, Resource } from '../definitions/core/resource.ts';
import type { ColonyClient, Resources } from '../src/client/api.ts';
import { connect } from '../src/client/connect.ts';
import { writeRun } from '../src/run-file.ts';
import { type Call, callsIn, definitionOf } from './executors/calls.ts';
import { Programs } from './support/program.ts';
import { python } from './support/python.ts';
import { leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

const SOON = { timeout: 15_000, interval: 50 };
const namespace = leaseNamespace();
const programs = new Programs(namespace);

let folder: string;
let worker: TestWorker;
let colony: ColonyClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colony-executors-'));
  // A second without anybody is enough here to say so.
  worker = await startWorker(namespace, { config: { scheduleToStartMs: 1_000, firstRetryMs: 100 } });
  colony = await connect({ address: temporalAddress(), temporalNamespace: namespace });
});

afterAll(async () => {
  await programs.endAll();
  await colony?.close();
  await worker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ready = ({ status }: Resource): Condition | undefined => status?.conditions?.find(({ type }) => type === 'Ready');

const typescript = {
  kind: 'Scribe',
  queue: 'scribes',
  command: () => programs.colony(['executor', recorder('ts')], callsOf('Scribe', 'scribes')),
};
const other = {
  kind: 'Notary',
  queue: 'notaries',
  command: () => programs.start(python ?? '', [recorder('py')], callsOf('Notary', 'notaries')),
};
const recorder = (extension: string): string => join(import.meta.dirname, 'executors', `recorder.${extension}`);
const callsOf = (kind: string, queue: string) => ({ CALLS: join(folder, `${kind}.calls`), QUEUE: queue });

describe('an executor in TypeScript', () => contract(typescript));
describe.skipIf(!python)('an executor in Python', () => contract(other));

describe('colony executor', () => {
  it('follows Temporal to where the last `colony up` has it by now', async () => {
    const home = join(folder, 'home');
    const port = temporalAddress().split(':')[1];
    writeRun(home, { address: `127.0.0.1:${port}`, namespace, pids: {} });
    const env = { ...callsOf('Nomad', 'nomads'), COLONY_HOME: home, TEMPORAL_ADDRESS: '' };
    const executor = programs.colony(['executor', recorder('ts')], env);
    await executor.says(/ready: .*Temporal 127\.0\.0\.1:/);
    writeRun(home, { address: `localhost:${port}`, namespace, pids: {} });
    await executor.says(/ready: .*Temporal localhost:/);
    expect(await executor.end('SIGINT')).toBe(0);
  });
});

/** What holds for an executor in whatever language. */
function contract({ kind, queue, command }: typeof typescript): void {
  let calls: string;
  let things: Resources;

  const callsTo = (name: string): Call[] => callsIn(calls, name);
  const readyOf = async (name: string): Promise<Condition | undefined> => ready(await things.get(name));
  const make = (name: string, spec: object) => things.apply({ metadata: { name }, spec });
  const made = (name: string) => things.waitFor(name, 'Ready', { timeoutMs: 15_000 }) as Promise<Resource>;

  beforeAll(async () => {
    calls = join(folder, `${kind}.calls`);
    await command().says(/ready: record/);
    await colony.apply(definitionOf(kind, { executorType: queue }));
    things = colony.resources('test.example/v1', kind);
  });

  it('is told all of a new resource, and its answer is shown', async () => {
    const { uid } = await make('new', { text: 'a' });
    const resource = await made('new');
    expect(callsTo('new')).toEqual([
      expect.objectContaining({
        operation: 'reconcile',
        action: 'create',
        changes: [],
        apiVersion: 'test.example/v1',
        kind,
        idempotencyKey: `${uid}/1`,
        definition: expect.objectContaining({ kind, group: 'test.example', handler: { executorType: queue, functionName: 'record' } }),
        metadata: expect.objectContaining({ name: 'new', namespace: 'default', uid, generation: 1 }),
        spec: { mode: 'ok', text: 'a' },
        status: expect.any(Object),
      }),
    ]);
    expect(resource.status).toMatchObject({ observedGeneration: 1, phase: 'Ready', text: 'a', seen: 1, outputs: { answer: 42 } });
    expect(resource.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Recorded', status: 'True', reason: 'Written' }));
    const events = await things.events('new');
    expect(events.map(({ type, reason }) => [type, reason])).toContainEqual(['Normal', 'Written']);
    expect(events.filter(({ type }) => type === 'Warning')).toEqual([]);
  });

  it('is told field by field what changed', async () => {
    await make('changed', { text: 'a' });
    await made('changed');
    const { uid } = await make('changed', { text: 'b', file: '/tmp/x' });
    await made('changed');
    expect(callsTo('changed').slice(1)).toEqual([
      expect.objectContaining({
        action: 'update',
        idempotencyKey: `${uid}/2`,
        changes: [
          { path: 'spec.file', type: 'added', new: '/tmp/x' },
          { path: 'spec.text', type: 'modified', old: 'a', new: 'b' },
        ],
        status: expect.objectContaining({ text: 'a', observedGeneration: 1 }),
      }),
    ]);
  });

  it.each([
    ['invalid', 'InvalidSpec', 'spec.text: cannot be so.'],
    ['forbidden', 'Forbidden', 'spec.text: may not be so.'],
  ])('ends with %s: shown, not tried again until the spec changes', async (mode, reason, message) => {
    await make(mode, { mode });
    await expect.poll(() => readyOf(mode), SOON).toMatchObject({ status: 'False', reason, message });
    await new Promise((wake) => setTimeout(wake, 1_500));
    expect(callsTo(mode)).toHaveLength(1);
    await make(mode, { mode: 'ok' });
    expect(ready(await made(mode))).toMatchObject({ status: 'True' });
  });

  it('ends with a failure of its own that is not to be tried again: said so, and done again on request', async () => {
    const file = join(folder, `${kind}-final`);
    await make('final', { mode: 'final', file });
    await expect.poll(() => readyOf('final'), SOON).toMatchObject({ status: 'False', reason: 'Exploded', message: 'the pump is broken.' });
    const stalled = expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'NotTriedAgain' });
    expect((await things.get('final')).status?.conditions).toContainEqual(stalled);
    expect(callsTo('final')).toHaveLength(1);
    writeFileSync(file, '');
    await things.reconcile('final');
    expect((await made('final')).status?.conditions).not.toContainEqual(stalled);
  });

  it('gives an answer that cannot be used: shown, not counted for the generation, and asked for again on request', async () => {
    const file = join(folder, `${kind}-useless`);
    await make('useless', { text: 'a', file });
    await made('useless');
    await make('useless', { mode: 'useless', text: 'b', file });
    await expect
      .poll(() => readyOf('useless'), SOON)
      .toMatchObject({
        status: 'False',
        reason: 'InvalidAnswer',
        message:
          'The handler\'s answer is not usable: status: must be an object (got "fine"); ' +
          'conditions[0].status: must be one of True, False, Unknown (got "yes").',
      });
    expect((await things.get('useless')).status).toMatchObject({ phase: 'Failed', observedGeneration: 1, text: 'a', seen: 1 });
    writeFileSync(file, '');
    await things.reconcile('useless');
    expect((await made('useless')).status).toMatchObject({ phase: 'Ready', observedGeneration: 2, text: 'b', seen: 2 });
    expect(callsTo('useless').map(({ action }) => action)).toEqual(['create', 'update', 'update']);
  });

  it.each([
    ['notReady', 'NotReady'],
    ['conflict', 'Conflict'],
  ])('waits quietly on %s, and goes on by itself', async (mode, reason) => {
    const file = join(folder, `${kind}-${mode}`);
    await make(mode.toLowerCase(), { mode, file });
    await expect.poll(() => readyOf(mode.toLowerCase()), SOON).toMatchObject({ status: 'Unknown', reason });
    const events = await things.events(mode.toLowerCase());
    expect(events.filter(({ type }) => type === 'Warning')).toEqual([]);
    writeFileSync(file, '');
    expect(ready(await made(mode.toLowerCase()))).toMatchObject({ status: 'True' });
  });

  it('fails in any other way: tried again, shown within three attempts, cured without a hand', async () => {
    const file = join(folder, `${kind}-error`);
    await make('error', { mode: 'error', file });
    await expect.poll(() => readyOf('error'), SOON).toMatchObject({ status: 'False', message: 'the disk is on fire.' });
    const shownAt = Date.parse((await readyOf('error'))?.lastTransitionTime ?? '');
    expect(callsTo('error').filter(({ at }) => at <= shownAt)).toHaveLength(3);
    expect(new Set(callsTo('error').map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    writeFileSync(file, '');
    expect(ready(await made('error'))).toMatchObject({ status: 'True' });
  });

  it('is asked to clean up before a resource goes', async () => {
    await make('gone', { text: 'a' });
    await made('gone');
    await things.delete('gone');
    expect(callsTo('gone').slice(1)).toEqual([
      expect.objectContaining({ operation: 'finalize', action: 'delete', spec: { mode: 'ok', text: 'a' } }),
    ]);
    await expect(things.get('gone')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('is called again at every interval, without a flicker of readiness', async () => {
    await colony.apply(definitionOf(`${kind}Clock`, { executorType: queue, reconcileInterval: 1 }));
    const clocks = colony.resources('test.example/v1', `${kind}Clock`);
    await clocks.apply({ metadata: { name: 'tick' }, spec: {} });
    const first = ready((await clocks.waitFor('tick', 'Ready')) as Resource);
    await expect.poll(() => callsTo('tick').length, SOON).toBeGreaterThanOrEqual(4);
    expect(
      callsTo('tick')
        .map(({ action }) => action)
        .slice(1),
    ).toEqual(Array(callsTo('tick').length - 1).fill('noop'));
    expect(ready(await clocks.get('tick'))).toMatchObject({ status: 'True', lastTransitionTime: first?.lastTransitionTime });
    await clocks.delete('tick');
  });
}

describe('an executor', () => {
  it('hears that a newer spec has made its work pointless', async () => {
    const scribes = colony.resources('test.example/v1', 'Scribe');
    const calls = join(folder, 'Scribe.calls');
    await scribes.apply({ metadata: { name: 'slow' }, spec: { mode: 'slow' } });
    await expect.poll(() => callsIn(calls, 'slow'), SOON).toHaveLength(1);
    await scribes.apply({ metadata: { name: 'slow' }, spec: { mode: 'ok' } });
    await scribes.waitFor('slow', 'Ready', { timeoutMs: 10_000 });
    expect(callsIn(calls, 'slow').map(({ note, action }) => [note, action])).toEqual([
      ['called', 'create'],
      ['aborted', 'create'],
      ['called', 'create'],
    ]);
  });

  it('is missed, said so for every generation, and the work goes on by itself when one comes', async () => {
    await colony.apply(definitionOf('Orphan', { executorType: 'nobody-yet' }));
    const orphans = colony.resources('test.example/v1', 'Orphan');
    const nobody = { type: 'ExecutorUnavailable', status: 'True' };
    const conditions = async () => (await orphans.get('o1')).status?.conditions;
    await orphans.apply({ metadata: { name: 'o1' }, spec: {} });
    await expect.poll(conditions, SOON).toContainEqual(expect.objectContaining(nobody));
    await orphans.apply({ metadata: { name: 'o1' }, spec: { text: 'b' } });
    await new Promise((wake) => setTimeout(wake, 500));
    await expect.poll(conditions, SOON).toContainEqual(expect.objectContaining({ ...nobody, observedGeneration: 2 }));

    const calls = join(folder, 'orphan.calls');
    const executor = programs.colony(['executor', recorder('ts')], { CALLS: calls, QUEUE: 'nobody-yet' });
    await executor.says(/ready: record/);
    const resource = (await orphans.waitFor('o1', 'Ready', { timeoutMs: 15_000 })) as Resource;
    expect(resource.status?.conditions).not.toContainEqual(expect.objectContaining(nobody));
    expect(callsIn(calls, 'o1').map(({ action, metadata }) => [action, metadata.generation])).toEqual([['create', 2]]);
  });

  it('that is gone for good does not keep a resource: delete --force says what is left behind', async () => {
    await colony.apply(definitionOf('Relic', { executorType: 'nobody-ever' }));
    const relics = colony.resources('test.example/v1', 'Relic');
    await relics.apply({ metadata: { name: 'r1' }, spec: {} });
    const late = await programs.run(['delete', 'relic/r1', '--timeout', '3s']);
    expect(late.code).toBe(1);
    const why = 'clean up, waits for somebody on nobody-ever to take it';
    expect(late.said).toContain(`waiting until relic.test.example/r1 is gone: ${why} (--force does not wait) … (2s)\n`);
    expect(late.said).toContain(`It waits for this: ${why}.\n`);
    const { code, said } = await programs.run(['delete', 'relic/r1', '--force']);
    expect(said).toContain('record on nobody-ever');
    expect(code).toBe(0);
    await expect(relics.get('r1')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('speaks for the generation it has seen: its conditions are not credited to a later one', async () => {
    const scribes = colony.resources('test.example/v1', 'Scribe');
    await scribes.apply({ metadata: { name: 'credit' }, spec: {} });
    await scribes.waitFor('credit', 'Ready');
    await scribes.apply({ metadata: { name: 'credit' }, spec: { mode: 'invalid' } });
    await scribes.waitFor('credit', 'Ready', { status: 'False' });
    const { status } = await scribes.get('credit');
    expect(status?.conditions?.find(({ type }) => type === 'Recorded')).toMatchObject({ observedGeneration: 1 });
  });

  it('is not needed to learn which resources no longer fit a definition that changes', async () => {
    const definition = definitionOf('Tablet', { executorType: 'nobody-ever' }) as { spec: { schema: { properties: object } } };
    await colony.apply(definition);
    const tablets = colony.resources('test.example/v1', 'Tablet');
    for (const [name, text] of Object.entries({ long: 'abcdef', wide: 'ghijkl', short: 'a' })) {
      await tablets.apply({ metadata: { name }, spec: { text } });
    }
    await expect.poll(async () => (await tablets.list()).length, SOON).toBe(3);
    const file = join(folder, 'tablets.json');
    const { schema } = definition.spec;
    const narrow = { ...schema, properties: { ...schema.properties, text: { type: 'string', maxLength: 3 } } };
    writeFileSync(file, JSON.stringify({ ...definition, spec: { ...definition.spec, schema: narrow } }));
    expect(await programs.run(['crd', 'apply', '-f', file])).toEqual({
      code: 0,
      said: expect.stringContaining(
        'warning: No longer fit: default/long, default/wide. See what is wrong with them: colony describe crd/tablets.test.example\n',
      ),
    });
    const { said } = await programs.run(['describe', 'crd/tablets.test.example']);
    expect(said).toContain('Worth knowing:\n  SomeDoNotFit: No longer fit: default/long, default/wide.\n');
    expect(said).not.toContain('Why it is not ready');
  });
});
