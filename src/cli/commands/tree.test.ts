import { beforeEach, describe, expect, it } from 'vitest';
import type { Resource } from '../../../definitions/core/resource.ts';
import { run } from '../run.ts';
import { ready, report } from '../test-double/app.ts';
import { FakeColony } from '../test-double/colony.ts';
import { fakeIo } from '../test-double/io.ts';
import { colonyCli } from '../test-double/run.ts';

let colony: FakeColony;
beforeEach(() => {
  colony = new FakeColony().define('Shop', 'example.com').define('Database', 'storage.example.com').define('App', 'apps.example.com');
  colony.put({
    kind: 'Shop',
    name: 's1',
    status: { phase: 'Progressing', conditions: [ready('False', { message: 'web is not ready.' })] },
  });
  colony.put({ kind: 'Database', name: 's1-db', metadata: ownedBy('s1'), status: { phase: 'Running', conditions: [ready('True')] } });
  colony.put({
    kind: 'App',
    name: 's1-web',
    metadata: ownedBy('s1'),
    status: { phase: 'Updating', instances: [report(0), report(1, { ready: false, state: 'starting' })] },
  });
  colony.put({ kind: 'Database', name: 'cache', namespace: 'elsewhere', metadata: ownedBy('s1-web') });
});

const ownedBy = (name: string): Resource['metadata'] =>
  ({
    ownerReferences: [{ apiVersion: 'any/v1', kind: 'Any', name, uid: `uid-${name}`, controller: true }],
  }) as unknown as Resource['metadata'];

const cli = (...argv: string[]) => colonyCli(colony, argv);

describe('colony tree', () => {
  it('shows children below their owner, and instances below what they run for', async () => {
    expect((await cli('tree', 'shop/s1')).out).toMatchInlineSnapshot(`
      "NAME                                READY     STATUS        AGE
      shop/s1                             False     Progressing   5m
      ├─ database/s1-db                   True      Running       5m
      └─ app/s1-web                       Unknown   Updating      5m
         ├─ database/cache in elsewhere   Unknown   Pending       5m
         ├─ instance 0 on a               True      running       5m
         └─ instance 1 on a               False     starting      5m
      "
    `);
  });

  it('says with -o wide why something is not ready', async () => {
    expect((await cli('tree', 'shop/s1', '-o', 'wide', '--no-headers')).out.split('\n')[0]).toMatch(
      /^shop\/s1 +False .* web is not ready\.$/,
    );
  });

  it('nests in JSON as the family does', async () => {
    const { name, ready: isReady, children } = JSON.parse((await cli('tree', 'shop/s1', '-o', 'json')).out);
    expect([name, isReady]).toEqual(['s1', 'False']);
    expect(children).toMatchObject([
      { kind: 'Database', name: 's1-db', ready: 'True', children: [] },
      { kind: 'App', name: 's1-web', ready: 'Unknown', children: [{ namespace: 'elsewhere', name: 'cache' }] },
    ]);
  });

  it('does not call ready what was ready for an earlier spec', async () => {
    const metadata = { generation: 2 } as Resource['metadata'];
    colony.put({ kind: 'Shop', name: 's1', metadata, status: { phase: 'Ready', conditions: [ready('True')] } });
    expect((await cli('tree', 'shop/s1', '--no-headers')).out).toMatch(/^shop\/s1 +Unknown/);
  });

  it('draws again with -w when something changed, until Ctrl-C', async () => {
    const io = fakeIo();
    const { resources } = colony;
    let looks = 0;
    colony.resources = (apiVersion, kind) => {
      const real = resources.call(colony, apiVersion, kind);
      const family: typeof real.family = (ref) => {
        looks += 1;
        if (looks === 2) colony.stored.delete('Database/default/s1-db');
        if (looks === 3) io.interrupt();
        return real.family(ref);
      };
      return { ...real, family };
    };
    expect(await run(['tree', 'shop/s1', '-w', '--no-headers'], io, async () => colony)).toBe(0);
    expect(io.stdout().match(/^shop\/s1/gm)).toHaveLength(2);
    expect(io.stdout().match(/s1-db/g)).toHaveLength(1);
  });

  it('names what is not there', async () => {
    expect(await cli('tree', 'shop/s9')).toMatchObject({ code: 1, err: 'error: Shop s9 does not exist\n' });
  });
});
