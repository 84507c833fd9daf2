import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplicationStatus } from '../definitions/application/schema.ts';
import { forecastApplication } from '../src/cli/forecast/application.ts';
import type { ColonyClient, Resources } from '../src/client/api.ts';
import { connect } from '../src/client/connect.ts';
import { type RunningExecutor, runExecutor } from '../src/executor/run.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

const SOON_MS = 60_000;

let worker: TestWorker;
let temporal: Client;
let colony: ColonyClient;
let executor: RunningExecutor;
let applications: Resources;
const calls: { readonly operation: string; readonly name: string; readonly spec: Record<string, unknown> }[] = [];

let letGo: () => void = () => undefined;
/** Who lingers goes only then. */
const mayGo = new Promise<void>((resolve) => {
  letGo = resolve;
});

const definition = (group: string, kind: string, plural: string, functionName: string | null) => ({
  apiVersion: 'colonies.io/v1',
  kind: 'ResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    version: 'v1',
    names: { kind, plural },
    scope: 'Namespaced',
    handler: functionName ? { executorType: 'makers', functionName } : null,
  },
});

interface Call {
  readonly operation: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

/** Makes nothing but says where it would be, unless the spec wants it to be sick. */
const make = async ({ operation, metadata, spec }: Call) => {
  calls.push({ operation, name: metadata.name, spec });
  if (spec.lingers && operation === 'finalize') await mayGo;
  if (spec.sick) return { conditions: [{ type: 'Ready', status: 'False' as const, reason: 'Sick', message: 'It is sick.' }] };
  return { status: { endpoint: `${metadata.name}:${spec.port ?? 5432}` } };
};

beforeAll(async () => {
  const namespace = leaseNamespace();
  worker = await startWorker(namespace, { config: { firstRetryMs: 100 } });
  const at = { address: temporalAddress(), temporalNamespace: namespace };
  temporal = await connectClient(namespace);
  colony = await connect(at);
  executor = await runExecutor({ executorType: 'makers', functions: { make: make as never } }, at);
  await colony.apply(definition('made.example.com', 'Thing', 'things', 'make'));
  await colony.apply(definition('made.example.com', 'Other', 'others', 'make'));
  applications = colony.resources('app.colonies.io/v1', 'Application');
});

afterAll(async () => {
  executor.stop();
  await executor.done;
  await colony.close();
  await temporal.connection.close();
  await worker.stop();
});

const thing = (name: string, spec: object = {}, more: object = {}) => ({ name, kind: 'Thing', spec, ...more });

const apply = (name: string, components: readonly object[], more: object = {}) =>
  applications.apply({ metadata: { name }, spec: { components, ...more } });

const condition = async (name: string, type: string) => (await applications.get(name)).status?.conditions?.find((one) => one.type === type);

const thingOf = (name: string) =>
  colony
    .resources('made.example.com/v1', 'Thing')
    .get(name)
    .catch(() => undefined);

const thingId = (name: string): string => `things.made.example.com/default/${name}`;

/** When the server itself says that a workflow began or ended. */
async function timeOf(id: string, which: 'startTime' | 'closeTime'): Promise<number> {
  const found = (await temporal.workflow.getHandle(id).describe())[which];
  if (!found) throw new Error(`${id} has no ${which}`);
  return found.getTime();
}

type EventKind = 'workflowExecutionUpdateAcceptedEventAttributes' | 'workflowExecutionSignaledEventAttributes';

/** When the newest event of a kind was written, by the server; of those whose text has the pattern. */
async function lastTime(id: string, kind: EventKind, pattern = /./): Promise<number> {
  const { events } = await temporal.workflow.getHandle(id).fetchHistory();
  const found = (events ?? []).findLast((event) => {
    const payload = event.workflowExecutionSignaledEventAttributes?.input?.payloads?.[0]?.data;
    return event[kind] && pattern.test(payload ? Buffer.from(payload).toString() : 'x');
  });
  return Number(found?.eventTime?.seconds) * 1_000 + (found?.eventTime?.nanos ?? 0) / 1e6;
}

describe('an Application', () => {
  it.concurrent('is accepted as the document has it, waits for kinds that are not there, and goes on by itself when they come', async () => {
    const components = [
      { kind: 'Database', spec: { engine: 'postgresql' } },
      { kind: 'WebService', spec: { image: 'web' } },
      { kind: 'WorkerPool', spec: { replicas: 3 } },
    ];
    await apply('my-app', components);
    await until(async () => (await applications.get('my-app')).status?.readyComponents === '0/3');
    await until(async () => /WebService/.test(JSON.stringify((await applications.get('my-app')).status?.components)));
    const waits = async () => (await condition('my-app', 'WiringPending'))?.message ?? '';
    await until(async () => /kind Database.*kind WebService.*kind WorkerPool/.test(await waits()));
    for (const [kind, plural] of [
      ['Database', 'databases'],
      ['WebService', 'webservices'],
      ['WorkerPool', 'workerpools'],
    ] as const)
      await colony.apply(definition('late.example.com', kind, plural, 'make'));
    await applications.waitFor('my-app', 'Ready');
    const { status } = await applications.get('my-app');
    expect(status).toMatchObject({ readyComponents: '3/3', phase: 'Ready' });
    expect(status?.components).toMatchObject([
      { name: 'database', kind: 'Database', ready: true, ref: { name: 'my-app-database' } },
      { name: 'webservice', kind: 'WebService', ready: true },
      { name: 'workerpool', kind: 'WorkerPool', ready: true },
    ]);
    await apply('my-app', components.slice(0, 2));
    await applications.waitFor('my-app', 'Ready');
    expect((await applications.get('my-app')).status?.readyComponents).toBe('2/2');
    expect(
      await colony
        .resources('late.example.com/v1', 'WorkerPool')
        .get('my-app-workerpool')
        .catch(() => 'gone'),
    ).toBe('gone');
    await applications.delete('my-app', { propagation: 'Foreground' });
    expect((await colony.resources('late.example.com/v1', 'Database').list()).map(({ metadata }) => metadata.name)).toEqual([]);
  });

  it.concurrent('comes up in waves, wired together, and goes in reverse order', async () => {
    await apply(
      'shop',
      [
        thing('web', { database: '${components.db.status.endpoint}', size: '${params.size}' }),
        thing('db', { port: 7000 }),
        thing('proxy', { upstream: 'http://${components.web.status.endpoint}/' }),
      ],
      { params: { size: 3 }, outputs: { url: 'https://${components.proxy.status.endpoint}' } },
    );
    await applications.waitFor('shop', 'Ready');
    expect((await thingOf('shop-web'))?.spec).toEqual({ database: 'shop-db:7000', size: 3 });
    expect((await thingOf('shop-proxy'))?.spec).toEqual({ upstream: 'http://shop-web:5432/' });
    expect((await applications.get('shop')).status?.outputs).toEqual({ url: 'https://shop-proxy:5432' });
    const [db, web, proxy] = await Promise.all(['db', 'web', 'proxy'].map((name) => timeOf(thingId(`shop-${name}`), 'startTime')));
    expect(db).toBeLessThan(web as number);
    expect(web).toBeLessThan(proxy as number);
    await applications.delete('shop', { propagation: 'Foreground' });
    const ends = await Promise.all(['proxy', 'web', 'db'].map((name) => timeOf(thingId(`shop-${name}`), 'closeTime')));
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
    expect(new Set(ends).size).toBe(3);
    expect(await timeOf('applications.app.colonies.io/default/shop', 'closeTime')).toBeGreaterThanOrEqual(ends[2] as number);
  });

  it.concurrent('tells while it is deleted which components are gone and which still go', async () => {
    await apply('farewell', [thing('a', { lingers: true }), thing('b', {}, { dependsOn: ['a'] })]);
    await applications.waitFor('farewell', 'Ready');
    const isGoing = applications.delete('farewell', { propagation: 'Foreground' });
    await until(async () => (await applications.get('farewell')).status?.readyComponents === '0/2');
    expect((await applications.get('farewell')).status).toMatchObject({
      phase: 'Deleting',
      components: [
        { name: 'a', phase: 'Leaving', ready: false, ref: { name: 'farewell-a' } },
        { name: 'b', phase: 'Gone', ready: false },
      ],
    });
    letGo();
    await isGoing;
    expect(await thingOf('farewell-a')).toBeUndefined();
  });

  it.concurrent('hears of a change of a component in less than a second, and rolls only those that depend on it', async () => {
    await apply('roll', [thing('db', { port: 1 }), thing('web', { db: '${components.db.status.endpoint}' }), thing('aside', { port: 9 })]);
    await applications.waitFor('roll', 'Ready');
    const before = { aside: await thingOf('roll-aside'), web: await thingOf('roll-web') };
    await apply('roll', [thing('db', { port: 2 }), thing('web', { db: '${components.db.status.endpoint}' }), thing('aside', { port: 9 })]);
    await until(async () => (await thingOf('roll-web'))?.spec.db === 'roll-db:2');
    await until(async () => (await condition('roll', 'Ready'))?.status === 'True');
    expect((await thingOf('roll-web'))?.metadata.uid).toBe(before.web?.metadata.uid);
    expect((await thingOf('roll-aside'))?.metadata.resourceVersion).toBe(before.aside?.metadata.resourceVersion);
    // From outside, as a controller of its own would: the status of the component changes, nothing else.
    const delays: number[] = [];
    for (const port of [3, 4, 5]) {
      const status = { endpoint: `elsewhere:${port}` };
      await temporal.workflow.getHandle(thingId('roll-db')).executeUpdate('status', { args: [{ status }] });
      await until(async () => (await thingOf('roll-web'))?.spec.db === status.endpoint);
      const told = await lastTime(thingId('roll-db'), 'workflowExecutionUpdateAcceptedEventAttributes');
      const heard = await lastTime('applications.app.colonies.io/default/roll', 'workflowExecutionSignaledEventAttributes', /elsewhere/);
      delays.push(heard - told);
    }
    expect(Math.min(...delays), 'what the way takes; the rest is how busy the machine is').toBeLessThan(1_000);
    await applications.delete('roll');
  });

  it.concurrent('replaces what was renamed or retyped: the new one is ready before the old one goes', async () => {
    await apply('change', [thing('db'), thing('web', {}, { dependsOn: ['db'] })]);
    await applications.waitFor('change', 'Ready');
    await apply('change', [thing('database'), { name: 'web', kind: 'Other', spec: {}, dependsOn: ['database'] }]);
    await until(async () => (await thingOf('change-db')) === undefined && (await thingOf('change-web')) === undefined);
    await applications.waitFor('change', 'Ready');
    const { status } = await applications.get('change');
    expect(status?.components).toMatchObject([{ name: 'database' }, { name: 'web', kind: 'Other', ready: true }]);
    const [newer, oldWeb, oldDb] = await Promise.all([
      timeOf('others.made.example.com/default/change-web', 'startTime'),
      timeOf(thingId('change-web'), 'closeTime'),
      timeOf(thingId('change-db'), 'closeTime'),
    ]);
    expect(newer).toBeLessThan(oldWeb);
    expect(oldWeb, 'dependants first').toBeLessThanOrEqual(oldDb);
    await applications.delete('change');
  });

  it.concurrent('goes back to the last good set, dependants first, when a component does not become ready in time', async () => {
    const policy = { updatePolicy: { onFailure: 'Rollback', progressDeadlineSeconds: 10 } };
    await apply('release', [thing('db', { port: 1 }), thing('web', { db: '${components.db.status.endpoint}' })], policy);
    await applications.waitFor('release', 'Ready');
    const good = await thingOf('release-web');
    await apply(
      'release',
      [
        thing('db', { port: 2 }),
        thing('web', { db: '${components.db.status.endpoint}', sick: true }),
        thing('extra', {}, { dependsOn: ['web'] }),
      ],
      policy,
    );
    await until(async () => (await thingOf('release-web'))?.spec.sick === true);
    await until(async () => (await thingOf('release-db'))?.spec.port === 1);
    await until(async () => /RolledBack/.test(JSON.stringify((await applications.get('release')).status?.release)));
    expect((await applications.get('release')).status?.release, 'extra only waited').toMatchObject({
      message: 'web was not ready in time: It is sick; everything was taken back.',
    });
    expect((await thingOf('release-web'))?.spec).toEqual(good?.spec);
    expect((await thingOf('release-web'))?.metadata.uid, 'what works is not made anew').toBe(good?.metadata.uid);
    expect(await thingOf('release-extra')).toBeUndefined();
    const back = calls
      .filter(({ name, operation }) => name.startsWith('release-') && operation === 'reconcile')
      .map(({ name, spec }) => [name, spec]);
    const webBack = back.findLastIndex(([name]) => name === 'release-web');
    const dbBack = back.findLastIndex(([name, spec]) => name === 'release-db' && (spec as { port: number }).port === 1);
    expect(webBack, 'the dependant goes back before what it depends on').toBeLessThan(dbBack);
    await applications.delete('release');
  });

  it.concurrent('leaves its components to nobody when it is deleted as an orphanage', async () => {
    await apply('left', [thing('db'), thing('web', {}, { dependsOn: ['db'] })]);
    await applications.waitFor('left', 'Ready');
    await applications.delete('left', { propagation: 'Orphan' });
    for (const name of ['left-db', 'left-web']) {
      const found = await thingOf(name);
      expect(found?.metadata.ownerReferences).toEqual([]);
      expect(found?.metadata.annotations).not.toHaveProperty('colony.io/owner');
      await colony.resources('made.example.com/v1', 'Thing').delete(name);
    }
  });

  it.concurrent('does not touch what is not its own, and a plan says so before in the same words', async () => {
    const things = colony.resources('made.example.com/v1', 'Thing');
    const spec = { components: [thing('own', { port: 1 }), thing('free'), thing('taken')] };
    const manifest = { apiVersion: 'app.colonies.io/v1', kind: 'Application', metadata: { name: 'shy' }, spec };
    const forecast = async () => {
      const { waves = [] } = await forecastApplication(colony, await colony.dryRun(manifest), new Set());
      return waves.flat().map(({ operation, note }) => ({ operation, note }));
    };
    await things.apply({ metadata: { name: 'shy-free' }, spec: { port: 7 } });
    await apply('shy-taken', []);
    const { uid } = (await applications.get('shy-taken')).metadata;
    const owner = { apiVersion: 'app.colonies.io/v1', kind: 'Application', name: 'shy-taken', uid, controller: true };
    await things.apply({ metadata: { name: 'shy-taken', ownerReferences: [owner] }, spec: { port: 7 } });
    const foreseen = await forecast();
    expect(foreseen.map(({ operation }) => operation)).toEqual(['created', 'refused', 'refused']);
    await colony.apply(manifest);
    await until(async () => (await applications.get('shy')).status?.readyComponents === '1/3');
    const { components } = (await applications.get('shy')).status as unknown as ApplicationStatus;
    expect(components.slice(1).map(({ phase, message }) => [phase, message])).toEqual(
      foreseen.slice(1).map(({ note }) => ['Blocked', note]),
    );
    expect((await forecast()).map(({ operation }) => operation)).toEqual(['unchanged', 'refused', 'refused']);
    expect([(await thingOf('shy-free'))?.spec, (await thingOf('shy-taken'))?.spec]).toEqual([{ port: 7 }, { port: 7 }]);
    await applications.delete('shy', { propagation: 'Foreground' });
    expect(await thingOf('shy-free')).toBeDefined();
    for (const name of ['shy-free', 'shy-taken']) await things.delete(name);
    await applications.delete('shy-taken');
  });

  it.concurrent('is refused at the door with the path of what is wrong', async () => {
    const refused = (components: readonly object[]) => apply('bad', components).then(String, (error: Error) => error.message);
    expect(await refused([thing('a', { x: '${components.b.status.y}' }), thing('b', { x: '${components.a.status.y}' })])).toMatch(
      /a → b → a|b → a → b/,
    );
    expect(await refused([thing('a', { deep: [{ x: '${components.c.status.y}' }] })])).toMatch(
      /spec\.components\[0\]\.spec\.deep\[0\]\.x.*c/,
    );
    expect(await refused([thing('a', {}, { dependOn: ['b'] })])).toMatch(/spec\.components\[0\]\.dependOn/);
    expect(await refused([thing('a', { x: '${params.none}' })])).toMatch(/spec\.components\[0\]\.spec\.x: unknown param "none"/);
    expect(await refused([{ kind: 'Application' }])).toMatch(/spec\.components\[0\]\.apiVersion: must say which Application/);
    expect(await applications.get('bad').catch(() => 'nothing stored')).toBe('nothing stored');
  });

  it.concurrent('goes on where it was when its worker is replaced in the middle of it', async () => {
    await apply('survivor', [thing('db'), thing('web', { db: '${components.db.status.endpoint}' })]);
    await applications.waitFor('survivor', 'Ready');
    const { namespace } = temporal.options;
    const other = await startWorker(namespace, { config: { firstRetryMs: 100 } });
    try {
      await apply('survivor', [thing('db', { port: 8 }), thing('web', { db: '${components.db.status.endpoint}' })]);
      await until(async () => (await thingOf('survivor-web'))?.spec.db === 'survivor-db:8');
    } finally {
      await other.stop();
    }
    await applications.waitFor('survivor', 'Ready');
    await applications.delete('survivor');
  });
});

/** expect.poll cannot be used in concurrent tests. */
async function until(look: () => Promise<boolean>, everyMs = 30): Promise<void> {
  const end = Date.now() + SOON_MS;
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`did not happen within ${SOON_MS} ms: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
