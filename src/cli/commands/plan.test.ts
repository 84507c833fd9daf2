import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applicationSpec } from '../../../definitions/application/schema.ts';
import type { JsonObject, Metadata, Status } from '../../../definitions/core/resource.ts';
import { ready } from '../test-double/app.ts';
import { FakeColony } from '../test-double/colony.ts';
import { colonyCli, type Ran } from '../test-double/run.ts';

const shop = (spec: JsonObject): string =>
  JSON.stringify({ apiVersion: 'app.colonies.io/v1', kind: 'Application', metadata: { name: 'shop' }, spec: applicationSpec.parse(spec) });

const db = { name: 'db', kind: 'Database', spec: { size: 1 } };
const web = { name: 'web', kind: 'WebService', spec: { replicas: 2, url: '${components.db.status.endpoint}/shop' } };
const worker = { name: 'worker', kind: 'WorkerPool', spec: { size: '${params.workers}' }, dependsOn: ['db'] };
const whole = { params: { workers: 2 }, components: [db, web, worker] };

const entry = (component: string, kind: string, more: JsonObject = {}) => ({ component, kind, name: `shop-${component}`, ...more });
const inventory = [
  entry('db', 'Database'),
  entry('web', 'WebService', { dependsOn: ['db'] }),
  entry('worker', 'WorkerPool', { dependsOn: ['db'] }),
];

let colony: FakeColony;

const plan = async (input: string, ...more: readonly string[]): Promise<Ran> =>
  colonyCli(colony, ['plan', '-f', '-', ...more], { stdin: async () => input });

const ownedBy = (name: string): { readonly metadata: Metadata } => {
  const controller = { apiVersion: 'app.colonies.io/v1', kind: 'Application', name, uid: `uid-${name}`, controller: true };
  return { metadata: { ownerReferences: [controller] } as unknown as Metadata };
};

/** All of it as it would be after the first apply. */
const running = (more: JsonObject = {}): void => {
  const isReady = { conditions: [ready('True')] } as Status;
  colony
    .put({
      kind: 'Application',
      name: 'shop',
      spec: applicationSpec.parse(whole) as JsonObject,
      status: { components: [], readyComponents: '3/3', inventory, ...more },
    })
    .put({ ...ownedBy('shop'), kind: 'Database', name: 'shop-db', spec: { size: 1 }, status: { ...isReady, endpoint: 'db:5432' } })
    .put({ ...ownedBy('shop'), kind: 'WebService', name: 'shop-web', spec: { replicas: 2, url: 'db:5432/shop' }, status: isReady })
    .put({ ...ownedBy('shop'), kind: 'WorkerPool', name: 'shop-worker', spec: { size: 2 }, status: isReady });
};

beforeEach(() => {
  colony = new FakeColony().define('Application', 'app.colonies.io').define('Widget', 'example.com');
  for (const kind of ['Database', 'Postgres', 'WebService', 'WorkerPool']) colony.define(kind, 'example.com');
});

describe('colony plan', () => {
  it('shows the waves of a new application, and whom values wait for', async () => {
    const { code, out } = await plan(shop(whole));
    expect(code).toBe(0);
    expect(out).toBe(`+ application.app.colonies.io/shop: created
  wave 1: db
    + db      created: Database shop-db
  wave 2: web, worker
    + web     created: WebService shop-web
        spec.url: (known after db is ready)
    + worker  created: WorkerPool shop-worker
Plan: 4 created. Nothing was touched.
`);
  });

  it('finds nothing to do for what is as it should be', async () => {
    running();
    const { out } = await plan(shop(whole));
    expect(out).toMatch(/^= application.app.colonies.io\/shop: unchanged\n/);
    expect(out).toMatch(/= web {5}unchanged: WebService shop-web\n/);
    expect(out).toMatch(/Plan: 4 unchanged\. Nothing was touched\.\n$/);
  });

  it('shows what changes in place, and that others may follow', async () => {
    running();
    const { out } = await plan(shop({ params: { workers: 5 }, components: [{ ...db, spec: { size: 2 } }, web, worker] }));
    expect(out).toBe(`~ application.app.colonies.io/shop: changed in place
  wave 1: db
    ~ db      changed in place: Database shop-db
        spec.size: 1 → 2
  wave 2: web, worker
    ~ web     changed in place: WebService shop-web
        spec.url: db:5432/shop → (known after db is ready)
    ~ worker  changed in place: WorkerPool shop-worker
        spec.size: 2 → 5
Plan: 4 changed in place. Nothing was touched.
`);
  });

  it('knows values of what stays as it is', async () => {
    running();
    const { out } = await plan(
      shop({ ...whole, components: [db, { ...web, spec: { ...web.spec, url: 'x${components.db.status.endpoint}' } }, worker] }),
    );
    expect(out).toContain('spec.url: db:5432/shop → xdb:5432');
    expect(out).toContain('= db ');
  });

  it('shows what takes the place of what, and what goes, those first that need others', async () => {
    running();
    const { out } = await plan(
      shop({
        components: [
          { ...db, kind: 'Postgres' },
          { ...web, name: 'site', spec: web.spec },
        ],
      }),
    );
    expect(out).toBe(`~ application.app.colonies.io/shop: changed in place
  wave 1: db
    ± db      replaced: Postgres shop-db
        takes the place of Database shop-db
  wave 2: site
    ± site    replaced: WebService shop-site
        takes the place of WebService shop-web
        spec.url: (known after db is ready)
  afterwards:
    - web     deleted: WebService shop-web
    - worker  deleted: WorkerPool shop-worker
    - db      deleted: Database shop-db
Plan: 1 changed in place, 2 replaced, 3 deleted. Nothing was touched.
`);
  });

  it('says what stays although nobody wants it', async () => {
    running({ inventory: [entry('db', 'Database', { deletionPolicy: 'Orphan' })] });
    expect((await plan(shop({ components: [] }))).out).toContain(
      '= db  kept: Database shop-db\n        belongs to nobody then (deletionPolicy Orphan)',
    );
    expect((await plan(shop({ components: [], prune: false }))).out).toContain('kept: Database shop-db\n        prune is false');
  });

  it('says what is not wanted, and what is not decided', async () => {
    const components = [db, { ...worker, when: 'params.workers > 2' }, { ...web, when: 'components.db.status.tier == "gold"' }];
    const { out } = await plan(shop({ ...whole, components }));
    expect(out).toContain('· worker  not wanted: WorkerPool shop-worker');
    expect(out).toContain('? web     not decided: WebService shop-web\n        whether it is wanted is known after db is ready');
  });

  it('says that a resource of somebody else would not be touched, and counts it as refused', async () => {
    colony.put({ kind: 'WorkerPool', name: 'shop-worker', spec: { size: 1 } });
    const { out } = await plan(shop({ components: [{ name: 'worker', kind: 'WorkerPool', spec: { size: 2 } }, { kind: 'Database' }] }));
    expect(out).toBe(`+ application.app.colonies.io/shop: created
  wave 1: worker, database
    ! worker    refused: WorkerPool shop-worker
        WorkerPool shop-worker exists and belongs to nobody; its annotation
          colony.io/adopt: "true" would give it away
    + database  created: Database shop-database
Plan: 2 created, 1 refused. Nothing was touched.
`);
    colony.put({ ...ownedBy('other'), kind: 'WorkerPool', name: 'shop-worker', spec: { size: 1 } });
    expect((await plan(shop({ components: [{ ...worker, dependsOn: [], spec: {} }] }))).out).toContain(
      '! worker  refused: WorkerPool shop-worker\n        WorkerPool shop-worker exists and belongs to Application other\n',
    );
  });

  it('shows how a resource would change that has agreed to belong to it', async () => {
    const metadata = { annotations: { 'colony.io/adopt': 'Application/shop' } } as unknown as Metadata;
    colony.put({ metadata, kind: 'WorkerPool', name: 'shop-worker', spec: { size: 1 } });
    const { out } = await plan(shop({ components: [{ name: 'worker', kind: 'WorkerPool', spec: { size: 2 } }] }));
    expect(out).toContain('~ worker  changed in place: WorkerPool shop-worker\n        spec.size: 1 → 2');
  });

  it('says that a component comes anew when what is there is being deleted, and goes on with the others', async () => {
    const { metadata } = ownedBy('shop');
    running();
    colony.put({
      metadata: { ...metadata, deletionTimestamp: '2026-03-01T12:00:00Z' },
      kind: 'Database',
      name: 'shop-db',
      spec: { size: 2 },
    });
    const { code, out } = await plan(shop(whole));
    expect(code).toBe(0);
    expect(out).toContain('+ db      created: Database shop-db\n        when the one that is being deleted is gone\n');
    expect(out).toContain('~ web     changed in place: WebService shop-web\n        spec.url: db:5432/shop → (known after db is ready)');
  });

  it('does not count on kinds that nobody has registered, and names the version where that is missing', async () => {
    const { out } = await plan(shop({ components: [{ kind: 'Cache' }, { kind: 'Widget', apiVersion: 'wrong/v9' }, { kind: 'Postgres' }] }));
    expect(out).toBe(`+ application.app.colonies.io/shop: created
  wave 1: cache, widget, postgres
    ? cache     not decided: Cache shop-cache
        waits until somebody registers the kind Cache
    ? widget    not decided: Widget shop-widget
        waits until somebody registers the kind wrong/v9 Widget; known:
          example.com/v1
    + postgres  created: Postgres shop-postgres
Plan: 2 created, 2 not decided. Nothing was touched.
`);
  });

  it('counts on kinds whose definitions are among the files', async () => {
    colony.define('ResourceDefinition', 'colonies.io', { scope: 'Cluster' });
    const definition = {
      apiVersion: 'colonies.io/v1',
      kind: 'ResourceDefinition',
      metadata: { name: 'caches.example.com' },
      spec: { group: 'example.com', version: 'v1', names: { kind: 'Cache' } },
    };
    const components = [{ kind: 'Cache' }, { name: 'same', kind: 'Cache', apiVersion: 'example.com/v1' }];
    const { out } = await plan(`${JSON.stringify(definition)}\n---\n${shop({ components })}`);
    expect(out).toContain('+ cache  created: Cache shop-cache\n        checked when its definition, which comes first, is there');
    expect(out).toContain('+ same   created: Cache shop-same');
    const other = await plan(`${JSON.stringify(definition)}\n---\n${shop({ components: [{ kind: 'Cache', apiVersion: 'wrong/v9' }] })}`);
    expect(other.out).toContain('? cache  not decided: Cache shop-cache');
  });

  it('does not decide between kinds of the same name', async () => {
    colony.define('Cache', 'one.com').define('Cache', 'two.com');
    const { out } = await plan(shop({ components: [{ kind: 'Cache' }] }));
    expect(out).toContain(
      '? cache  not decided: Cache shop-cache\n        several kinds are called Cache: say apiVersion, one of one.com/v1,\n          two.com/v1',
    );
  });

  it('takes the built-in kind where people have defined another one of the same name, as the apply does', async () => {
    colony.define('Cache', 'one.com', { builtIn: true }).define('Cache', 'two.com');
    expect((await plan(shop({ components: [{ kind: 'Cache' }] }))).out).toContain('+ cache  created: Cache shop-cache\nPlan: 2 created.');
  });

  it('shows the fields of any other resource, each on one line where it fits', async () => {
    colony.put({ kind: 'Widget', name: 'w1', spec: { size: 1, note: 'a'.repeat(40), old: true } });
    const spec = { size: 2, note: 'b'.repeat(40) };
    const { out } = await plan(JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w1' }, spec }));
    expect(out).toBe(`~ widget.example.com/w1: changed in place
    spec.note:
      ${'a'.repeat(40)}
      → ${'b'.repeat(40)}
    spec.old: true → (taken away)
    spec.size: 1 → 2
Plan: 1 changed in place. Nothing was touched.
`);
    expect(out.split('\n').every((line) => line.length <= 80)).toBe(true);
  });

  it('prints the same for machines', async () => {
    const { out } = await plan(shop(whole), '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      plan: [
        {
          resource: 'application.app.colonies.io/shop',
          operation: 'created',
          waves: [
            [{ name: 'db', operation: 'created' }],
            [{ name: 'web', changes: [{ path: 'spec.url', knownAfter: ['db'] }] }, { name: 'worker' }],
          ],
        },
      ],
    });
  });

  it('touches nothing', async () => {
    running();
    const before = JSON.stringify([...colony.stored]);
    await plan(shop({ components: [] }));
    expect(colony.calls).toEqual([]);
    expect(JSON.stringify([...colony.stored])).toBe(before);
  });

  it('reports a bad document, goes on with the others and ends with 1', async () => {
    const bad = JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget' });
    const good = JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w1' }, spec: {} });
    const { code, out, err } = await plan(`${bad}\n---\n${good}\n`);
    expect(code).toBe(1);
    expect(err).toContain('metadata.name');
    expect(out).toContain('+ widget.example.com/w1: created');
  });

  it.each(['plan', 'diff'])('%s names every error of a document with its line, as apply does', async (verb) => {
    colony.define('Pot', 'example.com', { spec: z.object({ size: z.number(), weight: z.number() }) });
    const pot = (name: string, size: string) =>
      `apiVersion: example.com/v1\nkind: Pot\nmetadata:\n  name: ${name}\nspec:\n  size: ${size}\n  weight: 1${size}\n`;
    const input = `${pot('good', '1')}---\n${pot('bad', 'x')}`;
    const { err } = await colonyCli(colony, [verb, '-f', '-'], { stdin: async () => input });
    expect(err).toMatch(
      /^error: standard input, document 2: Pot bad is not valid:\n {2}spec\.size: .* \(line 14\)\n {2}spec\.weight: .* \(line 15\)\n$/,
    );
    expect(err).toBe((await colonyCli(colony, ['apply', '-f', '-'], { stdin: async () => input })).err);
  });

  it.each(['plan', 'diff'])('%s tells a definition without a name all that it lacks, as apply does', async (verb) => {
    const input = 'apiVersion: colonies.io/v1\nkind: ResourceDefinition\nspec:\n  group: example.com\n';
    const { code, err } = await colonyCli(colony, [verb, '-f', '-'], { stdin: async () => input });
    expect(code).not.toBe(0);
    expect(err).toMatch(/metadata.*\n {2}.*spec\.names/s);
    expect(err).toBe((await colonyCli(colony, ['apply', '-f', '-'], { stdin: async () => input })).err);
  });
});
