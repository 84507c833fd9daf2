import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../src/client/index.ts';
import { cloneRoot } from '../src/config.ts';
import { type RunningExecutor, runExecutor } from '../src/executor/run.ts';
import { Probe } from './support/probe.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

const namespace = leaseNamespace();
let client: Client;
let worker: TestWorker;
let executor: RunningExecutor;
let foreign: { readonly connection: NativeConnection; readonly worker: Worker; readonly done: Promise<void> };

const definition = (kind: string, more: object = {}) => ({
  kind: 'ResourceDefinition',
  metadata: { name: `${kind.toLowerCase()}s.example.com` },
  spec: {
    group: 'example.com',
    version: 'v1',
    names: { kind, plural: `${kind.toLowerCase()}s` },
    scope: 'Namespaced',
    handler: null,
    ...more,
  },
});

beforeAll(async () => {
  worker = await startWorker(namespace, { config: { firstRetryMs: 50 } });
  client = await connectClient(namespace);
  const functions = { talk: async (): Promise<never> => Promise.reject(new Error(`broken \ud800\u0007 ${'😀'.repeat(800)}`)) };
  executor = await runExecutor({ executorType: 'talkers', functions }, { address: temporalAddress(), temporalNamespace: namespace });
  foreign = await startForeign();
  const colony = await connect({ address: temporalAddress(), temporalNamespace: namespace });
  await Promise.all([
    colony.apply(definition('Box', { schema: { type: 'object', properties: { text: { type: 'string', enum: ['a', 'b', 'c'] } } } })),
    colony.apply(definition('Talk', { handler: { executorType: 'talkers', functionName: 'talk' } })),
    colony.apply(definition('Foreign', { handler: { executorType: 'foreigners', functionName: 'talk' } })),
    colony.apply(definition('Land', { scope: 'Cluster' })),
  ]);
  await colony.close();
});

async function startForeign(): Promise<typeof foreign> {
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  const started = await Worker.create({
    connection,
    namespace,
    taskQueue: 'foreigners',
    activities: { talk: async () => ({ status: {} }) },
    dataConverter: { payloadConverterPath: join(cloneRoot(), 'test', 'support', 'odd-converter.cjs') },
    shutdownGraceTime: 0,
  });
  return { connection, worker: started, done: started.run() };
}

afterAll(async () => {
  executor?.stop();
  foreign?.worker.shutdown();
  await Promise.all([executor?.done, foreign?.done]);
  await foreign?.connection.close();
  await worker?.stop();
  await client?.connection.close();
});

const probe = (name: string, kind = 'Box'): Probe => new Probe(client, `${kind.toLowerCase()}s.example.com/default/${name}`, kind);
const box = async (name: string): Promise<Probe> => {
  const one = probe(name);
  expect(await one.apply({ spec: { text: 'a' } })).toMatchObject({ operation: 'created' });
  return one;
};
const reasons = async (one: Probe): Promise<string[]> => (await one.events()).map(({ reason }) => reason);

/** As it goes over the wire, past every client's converter. */
const payload = (encoding: string | undefined, data: string) => ({
  metadata: encoding ? { encoding: Buffer.from(encoding) } : {},
  data: Buffer.from(data, 'latin1'),
});
type Payload = ReturnType<typeof payload>;
const rawSignal = (one: Probe, signalName: string, ...payloads: Payload[]) =>
  client.workflowService.signalWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: one.workflowId },
    signalName,
    input: { payloads },
    requestId: randomUUID(),
  });
const rawUpdate = async (one: Probe, name: string, ...payloads: Payload[]) => {
  const meta = { updateId: randomUUID(), identity: 'test' };
  const { outcome } = await client.workflowService.updateWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: one.workflowId },
    waitPolicy: { lifecycleStage: 3 },
    request: { meta, input: { name, args: { payloads } } },
  });
  return outcome?.failure?.applicationFailureInfo?.type;
};

const unreadable = [
  { name: 'broken-json', given: payload('json/plain', '{"spec": ') },
  { name: 'unknown-encoding', given: payload('binary/encrypted', 'xyz') },
  { name: 'protobuf', given: payload('json/protobuf', '{}') },
  { name: 'no-encoding', given: payload(undefined, '{}') },
];

describe('a message that cannot be read', () => {
  it.each(unreadable)('is refused, said, and changes nothing: $name', async ({ given, name }) => {
    const one = await box(name);
    await rawSignal(one, 'apply', given);
    await one.shows('SpecAccepted', { status: 'False' });
    expect((await one.resource()).metadata.generation).toBe(1);
    await rawSignal(one, 'delete', given);
    await expect.poll(() => reasons(one)).toContain('Refused');
    for (const update of ['apply', 'delete', 'command', 'status', 'observed']) expect(await rawUpdate(one, update, given)).toBe('Invalid');
    expect(await one.apply({ spec: { text: 'b' } })).toMatchObject({ generation: 2 });
    expect(await one.condition('SpecAccepted')).toBeUndefined();
    await one.isHealthy();
  });

  it('as the first word ends the workflow, which says why', async () => {
    const workflowId = 'boxs.example.com/default/unborn';
    const started = await client.workflowService.startWorkflowExecution({
      namespace,
      workflowId,
      workflowType: { name: 'Box' },
      taskQueue: { name: 'colony' },
      input: { payloads: [payload('json/plain', '{')] },
      requestId: randomUUID(),
    });
    const result = client.workflow.getHandle(workflowId, started.runId ?? '').result();
    await expect(result).rejects.toMatchObject({ cause: { type: 'Invalid' } });
    await probe('unborn').isHealthy('FAILED');
  });

  it('as an executor’s answer is a condition, and the resource can be changed and deleted', async () => {
    const one = probe('answer', 'Foreign');
    await one.apply({ spec: { n: 1 } });
    await one.shows('Ready', { status: 'False', reason: 'ResultUnreadable' });
    expect(await one.apply({ spec: { n: 2 } })).toMatchObject({ generation: 2 });
    await one.shows('Ready', { status: 'False', observedGeneration: 2 });
    await one.update('delete', { force: true });
    await one.isHealthy('COMPLETED');
  });
});

describe('a message that makes no sense', () => {
  it.each([undefined, null, 7, true, 'text', [], [1], {}, { spec: 7 }, { spec: { text: 'z' } }, { metadata: 1 }, { nonsense: {} }])(
    'as an apply by signal sets a condition and writes an event, nothing else: %j',
    async (body) => {
      const one = await box(`nonsense-${randomUUID()}`);
      await (body === undefined ? one.signal('apply') : one.signal('apply', body));
      if (JSON.stringify(body) !== '{}') {
        await one.shows('SpecAccepted', { status: 'False' });
        expect(await reasons(one)).toContain('SpecRefused');
      }
      expect(await one.resource()).toMatchObject({ metadata: { generation: 1 }, spec: { text: 'a' } });
      await one.isHealthy();
    },
  );

  it.each([7, 'text', [], { force: 'false' }, { propagation: 'sideways' }, { uid: 3 }, { force: true, uid: 'of-another' }])(
    'deletes nothing: %j',
    async (body) => {
      const one = await box(`delete-${randomUUID()}`);
      expect(await one.update('delete', body)).toMatch(/Invalid|Conflict/);
      await one.signal('delete', body);
      await expect.poll(() => reasons(one)).toContain('Refused');
      expect((await one.resource()).metadata.deletionTimestamp).toBeUndefined();
      await one.isHealthy();
    },
  );

  it('under any name is an event at most', async () => {
    const one = await box('names');
    const names = [
      'nonsense',
      'oversize',
      '__temporal_x',
      '__temporal_signal',
      '__stack_trace',
      'é😀\u0001',
      'x'.repeat(900),
      'toString',
      '__proto__',
    ];
    for (const name of names) await one.signal(name);
    for (const name of ['readmit', 'status', 'observed', 'command', 'reconcile', 'child']) {
      await one.signal(name);
      await one.signal(name, null);
      await one.signal(name, 'text');
    }
    await expect.poll(async () => JSON.stringify(await one.events())).toContain('__proto__');
    expect(await one.update('apply', { spec: { text: 'b' } })).toMatchObject({ generation: 2 });
    expect(JSON.stringify(await one.events())).toContain('__temporal_x');
    await one.isHealthy();
  });

  it('as the first word, dressed as the state of an earlier run, is checked like any other', async () => {
    for (const carried of [1, {}, { meta: {}, inbox: [] }]) {
      const handle = await client.workflow.start('Box', {
        workflowId: 'boxs.example.com/default/disguised',
        taskQueue: 'colony',
        args: [{ carried }],
      });
      await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'Invalid' } });
      await probe('disguised').isHealthy('FAILED');
    }
  });
});

describe('odd texts', () => {
  const ODD = ['\ud800', 'a\u0000b', '\u001b[31mred', '‮right to left', '語'.repeat(300), '😀'.repeat(300), "x' OR 1=1"];

  it.each(ODD)('in names, labels, versions and values are refused with a path and no more: %j', async (odd) => {
    const one = await box(`odd-${randomUUID()}`);
    expect(await one.update('apply', { metadata: { name: odd } })).toBe('Invalid');
    expect(await one.update('apply', { metadata: { labels: { [odd]: 'v' } } })).toBe('Invalid');
    expect(await one.update('apply', { metadata: { labels: { key: odd } } })).toBe('Invalid');
    expect(await one.update('apply', { metadata: { annotations: { [odd]: '' } } })).toBe('Invalid');
    expect(await one.update('apply', { spec: { text: odd } })).toBe('Invalid');
    expect(await one.update('apply', { spec: { [odd]: 1 } })).toBe('Invalid');
    expect(await one.update('apply', { metadata: { resourceVersion: odd } })).toBe('Conflict');
    expect(await one.update('command', { name: odd })).toBe('UnknownCommand');
    await one.signal('apply', { metadata: { labels: { [odd]: 'v' } } });
    await one.shows('SpecAccepted', { status: 'False' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there
    expect(JSON.stringify(await one.events())).not.toMatch(/[\u0000-\u001f\u202e]/);
    await one.isHealthy();
  });

  it('in annotations and actors are kept as they are', async () => {
    const one = await box('kept');
    const annotations = Object.fromEntries(ODD.map((odd, n) => [`note-${n}`, odd]));
    expect(await one.update('apply', { actor: '語'.repeat(500), metadata: { annotations } })).toMatchObject({ operation: 'configured' });
    expect((await one.resource()).metadata.annotations).toEqual(annotations);
    expect(await one.update('apply', { actor: ODD.join(), requestId: ODD[0], spec: { text: 'b' } })).toMatchObject({ generation: 2 });
    await one.isHealthy();
  });

  it('in a handler’s error are shown, not more than fits', async () => {
    const one = probe('broken', 'Talk');
    await one.apply({ spec: {} });
    const { message } = await one.shows('Ready', { status: 'False', reason: 'Error' });
    expect(message).toContain('😀');
    expect(message.length).toBeLessThanOrEqual(1_024);
    await one.isHealthy();
  });
});

describe('a workflow whose id, type or place does not fit', () => {
  it.each([
    { name: 'an id that is no resource’s', id: 'order-4711', type: 'Box', path: 'metadata.name' },
    { name: 'a name that is not allowed', id: 'boxs.example.com/default/No_Name', type: 'Box', path: 'metadata.name' },
    { name: 'too many parts', id: 'boxs.example.com/default/a/b', type: 'Box', path: 'metadata.name' },
    { name: 'a name in letters that are not allowed', id: 'boxs.example.com/default/größe', type: 'Box', path: 'metadata.name' },
    { name: 'a plural that nobody has defined', id: 'things.example.com/default/a', type: 'Thing', path: 'kind' },
    { name: 'another type than its plural', id: 'boxs.example.com/default/a', type: 'Talk', path: 'kind' },
    { name: 'a type of a built-in kind', id: 'boxs.example.com/default/a', type: 'RequestState', path: 'kind' },
    { name: 'a namespace although the kind has none', id: 'lands.example.com/default/a', type: 'Land', path: 'metadata.namespace' },
    { name: 'no namespace although the kind needs one', id: 'boxs.example.com/-/a', type: 'Box', path: 'metadata.namespace' },
    {
      name: 'another name than its manifest',
      id: 'boxs.example.com/default/a',
      type: 'Box',
      path: 'metadata.name',
      metadata: { name: 'b' },
    },
    { name: 'another namespace', id: 'boxs.example.com/default/a', type: 'Box', path: 'metadata.namespace', metadata: { namespace: 'b' } },
  ])('ends itself and names a path: $name', async ({ id, type, path, metadata = {} }) => {
    const body = { metadata, spec: {} };
    const one = new Probe(client, id, type);
    expect(await one.apply(body)).toBe('Invalid');
    await one.isHealthy('COMPLETED');
    const options = { workflowId: id, taskQueue: 'colony' };
    const started = await client.workflow.start(type, { ...options, args: [body] });
    await expect(started.result()).rejects.toMatchObject({ cause: { type: 'Invalid', message: expect.stringContaining(path) } });
    const signalled = await client.workflow.signalWithStart(type, { ...options, signal: 'apply', signalArgs: [body] });
    await expect(signalled.result()).rejects.toMatchObject({ cause: { type: 'Invalid' } });
    await one.isHealthy('FAILED');
  });

  it('is no resource to anybody', async () => {
    const colony = await connect({ address: temporalAddress(), temporalNamespace: namespace });
    await client.workflow.start('Box', { workflowId: 'order-4712', taskQueue: 'nobody' });
    await client.workflow.start('Box', { workflowId: 'boxs.example.com/default/silent', taskQueue: 'nobody' });
    await expect.poll(async () => (await client.workflow.count("ExecutionStatus = 'Running' AND TaskQueue = 'nobody'")).count).toBe(2);
    const listed = (await colony.list({ allNamespaces: true })).map(({ metadata }) => metadata.name);
    expect(listed).not.toContain('silent');
    expect(listed).not.toContain('order-4712');
    await colony.close();
  });
});
