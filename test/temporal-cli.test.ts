import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../src/client/index.ts';
import { type RunningExecutor, runExecutor } from '../src/executor/run.ts';
import { Probe } from './support/probe.ts';
import { Program } from './support/program.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress, temporalBinary } from './support/temporal.ts';

const namespace = leaseNamespace();
let client: Client;
let worker: TestWorker;
let executor: RunningExecutor;

beforeAll(async () => {
  worker = await startWorker(namespace, { config: { firstRetryMs: 50 } });
  client = await connectClient(namespace);
  const make = async ({ spec }: { spec: { colour?: string } }) => ({ status: { made: spec.colour } });
  const at = { address: temporalAddress(), temporalNamespace: namespace };
  executor = await runExecutor({ executorType: 'makers', functions: { make: make as never } }, at);
  const colony = await connect(at);
  const properties = { colour: { type: 'string', enum: ['red', 'green', 'blue'], default: 'red' }, size: { type: 'integer' } };
  await colony.apply({
    kind: 'ResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      version: 'v1',
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Namespaced',
      schema: { type: 'object', properties },
      handler: { executorType: 'makers', functionName: 'make' },
    },
  });
  await colony.close();
});

afterAll(async () => {
  executor?.stop();
  await executor?.done;
  await worker?.stop();
  await client?.connection.close();
});

const idOf = (name: string): string => `widgets.example.com/default/${name}`;

/** `temporal workflow …` as a person types it; what it printed, or throws with that. */
async function temporal(command: string, ...args: readonly string[]): Promise<string> {
  const env = { TEMPORAL_ADDRESS: temporalAddress(), TEMPORAL_NAMESPACE: namespace, HOME: '/nonexistent' };
  const program = new Program(temporalBinary(), ['workflow', ...command.split(' '), ...args], env);
  if ((await program.ended) === 0) return program.said;
  throw new Error(program.said);
}

const to = (name: string): string[] => ['--workflow-id', idOf(name)];
const startOptions = (name: string): string[] => [...to(name), '--type', 'Widget', '--task-queue', 'colony'];
const input = (value: unknown): string[] => ['--input', typeof value === 'string' ? value : JSON.stringify(value)];
const probe = (name: string): Probe => new Probe(client, idOf(name), 'Widget');
const made = async (name: string, spec: object = { colour: 'red' }): Promise<Probe> => {
  await temporal('start', ...startOptions(name), ...input({ spec }));
  const one = probe(name);
  await one.shows('Ready', { status: 'True' });
  return one;
};

describe('temporal workflow', () => {
  it('signal-with-start creates, and the same again changes', async () => {
    const options = [...startOptions('signalled'), '--signal-name', 'apply'];
    await temporal('signal-with-start', ...options, '--signal-input', '{"spec": {"colour": "red"}}');
    const one = probe('signalled');
    await one.shows('Ready', { status: 'True', observedGeneration: 1 });
    await temporal('signal-with-start', ...options, '--signal-input', '{"spec": {"colour": "green"}}');
    await one.shows('Ready', { status: 'True', observedGeneration: 2 });
    expect(await one.resource()).toMatchObject({ spec: { colour: 'green' }, status: { made: 'green' } });
    await one.isHealthy();
  });

  it('start takes a whole manifest as its input', async () => {
    const manifest = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'started', labels: { a: 'b' } }, spec: { size: 3 } };
    await temporal('start', ...startOptions('started'), ...input(manifest));
    const one = probe('started');
    await one.shows('Ready', { status: 'True' });
    expect(await one.resource()).toMatchObject({ metadata: { labels: { a: 'b' }, generation: 1 }, spec: { colour: 'red', size: 3 } });
    await one.isHealthy();
  });

  it('start without an input waits for a first word, and ends when none comes', async () => {
    await temporal('start', ...startOptions('wordless'));
    await temporal('signal', ...to('wordless'), '--name', 'apply', ...input({ spec: {} }));
    await probe('wordless').shows('Ready', { status: 'True' });
    await probe('wordless').isHealthy();
    await temporal('start', ...startOptions('silent'));
    await expect.poll(async () => (await probe('silent').handle.describe()).status.name, { timeout: 20_000 }).toBe('COMPLETED');
  });

  it('signal --name apply and update execute --name apply change it; the update says how it went', async () => {
    const one = await made('changed');
    await temporal('signal', ...to('changed'), '--name', 'apply', ...input({ spec: { colour: 'green' } }));
    await one.shows('Ready', { status: 'True', observedGeneration: 2 });
    const update = (spec: object) =>
      temporal('update execute', ...to('changed'), '--name', 'apply', ...input({ spec }), '--output', 'json');
    expect(JSON.parse(await update({ colour: 'blue' })).result).toMatchObject({ operation: 'configured', generation: 3 });
    await expect(update({ colour: 'pink' })).rejects.toThrow(/spec\.colour: must be one of red, green, blue/);
    await expect(update({ colour: 'blue' })).rejects.toThrow(/Unchanged/);
    await one.isHealthy();
  });

  it('query --type resource, status, events and history show it', async () => {
    await made('seen', { colour: 'green' });
    const query = async (type: string) =>
      JSON.parse(await temporal('query', ...to('seen'), '--type', type, '--output', 'json')).queryResult[0];
    expect(await query('resource')).toMatchObject({ kind: 'Widget', spec: { colour: 'green' } });
    expect(await query('status')).toMatchObject({ made: 'green', observedGeneration: 1 });
    expect(await query('events')).toContainEqual(expect.objectContaining({ reason: 'Created', message: 'generation 1 accepted' }));
    expect(await query('history')).toMatchObject([{ generation: 1, spec: { colour: 'green' } }]);
    await expect(query('nonsense')).rejects.toThrow();
    await probe('seen').isHealthy();
  });

  it('an invalid signal changes a condition and writes an event, and nothing else', async () => {
    const one = await made('invalid');
    const before = await one.resource();
    await temporal('signal', ...to('invalid'), '--name', 'apply', ...input({ spec: { colour: 'pink' } }));
    const condition = await one.shows('SpecAccepted', { status: 'False', reason: 'SpecRefused' });
    expect(condition.message).toContain('spec.colour');
    const after = await one.resource();
    const others = after.status?.conditions?.filter(({ type }) => type !== 'SpecAccepted');
    expect({ ...after.metadata, resourceVersion: '' }).toEqual({ ...before.metadata, resourceVersion: '' });
    expect(after.spec).toEqual(before.spec);
    expect({ ...after.status, conditions: others }).toEqual(before.status);
    expect((await one.events()).filter(({ reason }) => reason === 'SpecRefused')).toHaveLength(1);
    const { raw } = await one.handle.describe();
    expect(raw.pendingActivities ?? []).toEqual([]);
    await one.isHealthy();
  });

  it.each(['7', '"text"', '[1, 2]', 'null', 'true'])('an input that is no object (%s) is refused and said', async (garbage) => {
    const name = `garbage-${garbage.replace(/\W/g, '')}`;
    const one = await made(name);
    await temporal('signal', ...to(name), '--name', 'apply', ...input(garbage));
    await one.shows('SpecAccepted', { status: 'False' });
    await expect(temporal('update execute', ...to(name), '--name', 'apply', ...input(garbage))).rejects.toThrow(/must be an object/);
    expect((await one.resource()).metadata.generation).toBe(1);
    await one.isHealthy();
  });

  it('a start with garbage fails by itself and says why', async () => {
    await temporal('start', ...startOptions('rubbish'), ...input('"rubbish"'));
    await expect(probe('rubbish').handle.result()).rejects.toMatchObject({
      cause: { type: 'Invalid', message: expect.stringContaining('object') },
    });
    await probe('rubbish').isHealthy('FAILED');
  });

  it('a command by update: rollback', async () => {
    const one = await made('rolled');
    await temporal('update execute', ...to('rolled'), '--name', 'apply', ...input({ spec: { colour: 'blue' } }));
    const answer = await temporal(
      'update execute',
      ...to('rolled'),
      '--name',
      'command',
      ...input({ name: 'rollback' }),
      '--output',
      'json',
    );
    expect(JSON.parse(answer).result).toMatchObject({ generation: 3, answer: { rolledBackTo: 1 } });
    expect((await one.resource()).spec).toMatchObject({ colour: 'red' });
    await one.isHealthy();
  });

  it('cancel is delete, and a second one changes nothing', async () => {
    const one = await made('cancelled');
    await temporal('cancel', ...to('cancelled'));
    await temporal('cancel', ...to('cancelled')).catch(() => {}); // it may be gone already
    await one.isHealthy('COMPLETED');
    await expect(temporal('signal', ...to('cancelled'), '--name', 'apply', ...input({ spec: {} }))).rejects.toThrow(
      /already completed|not found/i,
    );
  });

  it('delete twice, by signal and by update, is one delete', async () => {
    const one = await made('deleted');
    await one.apply({ metadata: { finalizers: ['example.com/wait'] } });
    await temporal('signal', ...to('deleted'), '--name', 'delete');
    await one.shows('DeletionBlocked', { status: 'True' });
    const { deletionTimestamp } = (await one.resource()).metadata;
    const again = await temporal('update execute', ...to('deleted'), '--name', 'delete', ...input({}), '--output', 'json');
    expect(JSON.parse(again).result).toMatchObject({ deletionTimestamp });
    await expect(temporal('update execute', ...to('deleted'), '--name', 'apply', ...input({ spec: { colour: 'blue' } }))).rejects.toThrow(
      /Deleting/,
    );
    await one.isHealthy();
    await one.apply({ metadata: { finalizers: [] } });
    await one.isHealthy('COMPLETED');
  });
});
