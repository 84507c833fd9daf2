import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ColonyClient, Resources } from '../src/client/api.ts';
import { connect } from '../src/client/connect.ts';
import { type RunningExecutor, runExecutor } from '../src/executor/run.ts';
import { leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

const SOON = { timeout: 20_000, interval: 50 };

let worker: TestWorker;
let colony: ColonyClient;
let executor: RunningExecutor;
let machines: Resources;
let parts: Resources;

const definition = (kind: string, plural: string, handler: object | null) => ({
  apiVersion: 'colonies.io/v1',
  kind: 'ResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: { group: 'example.com', version: 'v1', names: { kind, plural }, scope: 'Namespaced', handler },
});

beforeAll(async () => {
  const namespace = leaseNamespace();
  worker = await startWorker(namespace, { config: { firstRetryMs: 100 } });
  const at = { address: temporalAddress(), temporalNamespace: namespace };
  colony = await connect(at);
  const assemble = async ({ spec }: { spec: unknown }) => ({
    children: (spec as { parts: string[] }).parts.map((name) => ({
      apiVersion: 'example.com/v1',
      kind: 'Part',
      metadata: { name },
      spec: { of: 'machine' },
    })),
  });
  executor = await runExecutor({ executorType: 'assemblers', functions: { assemble } }, at);
  await colony.apply(definition('Part', 'parts', null));
  await colony.apply(definition('Machine', 'machines', { executorType: 'assemblers', functionName: 'assemble' }));
  machines = colony.resources('example.com/v1', 'Machine');
  parts = colony.resources('example.com/v1', 'Part');
});

afterAll(async () => {
  executor.stop();
  await executor.done;
  await colony.close();
  await worker.stop();
});

const names = async (): Promise<string[]> => (await parts.list()).map(({ metadata }) => metadata.name);

describe("the children in a handler's answer", () => {
  it('are made with their owner, follow it, and go with it', async () => {
    await machines.apply({ metadata: { name: 'm1' }, spec: { parts: ['wheel', 'bolt'] } });
    await machines.waitFor('m1', 'Ready');
    await expect.poll(names, SOON).toEqual(['bolt', 'wheel']);
    const { metadata } = await machines.get('m1');
    const wheel = await parts.get('wheel');
    expect(wheel.metadata.ownerReferences).toMatchObject([{ kind: 'Machine', name: 'm1', uid: metadata.uid, controller: true }]);
    await machines.apply({ metadata: { name: 'm1' }, spec: { parts: ['wheel', 'axle'] } });
    await expect.poll(names, SOON).toEqual(['axle', 'wheel']);
    expect((await parts.get('wheel')).metadata.uid, 'an unchanged child is left alone').toBe(wheel.metadata.uid);
    await machines.delete('m1');
    expect(await names()).toEqual([]);
  });

  it('never take over what belongs to somebody else', async () => {
    await parts.apply({ metadata: { name: 'stranger' }, spec: { of: 'mine' } });
    await machines.apply({ metadata: { name: 'm2' }, spec: { parts: ['stranger'] } });
    await expect
      .poll(async () => (await machines.get('m2')).status?.conditions?.find(({ type }) => type === 'Ready')?.reason, SOON)
      .toBe('ChildNotOwned');
    expect((await parts.get('stranger')).spec).toEqual({ of: 'mine' });
    await machines.delete('m2');
    expect(await names()).toEqual(['stranger']);
  });
});
