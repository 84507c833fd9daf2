import { beforeEach, describe, expect, it } from 'vitest';
import { FakeColony } from '../test-double/colony.ts';
import { colonyCli } from '../test-double/run.ts';

let colony: FakeColony;
beforeEach(() => {
  colony = new FakeColony()
    .define('ResourceDefinition', 'colony.io', { scope: 'Cluster' })
    .define('Widget', 'example.com', { shortNames: ['wd'] })
    .define('Database', 'storage.example.com')
    .put({ kind: 'Widget', name: 'w1', spec: { size: 1 }, labels: { app: 'shop' } })
    .put({ kind: 'Widget', name: 'w2' })
    .put({ kind: 'Database', name: 'w2' });
});

const cli = (...argv: string[]) => colonyCli(colony, argv);

describe('colony resource', () => {
  it('finds by name among all kinds', async () => {
    expect((await cli('resource', 'get', 'w1')).out).toContain('widget.example.com/w1');
    expect(JSON.parse((await cli('resource', 'get', 'w1', '-o', 'json')).out)).toMatchObject({ kind: 'Widget' });
    expect((await cli('resource', 'get', 'w2')).out).toMatch(/widget.*w2[\s\S]*database.*w2/);
    expect((await cli('resource', 'get', 'nobody')).code).toBe(1);
    expect((await cli('resource', 'list', '--kind', 'Database', '-o', 'name')).out).toBe('database.storage.example.com/w2\n');
  });

  it('deletes only what is named without doubt', async () => {
    expect((await cli('resource', 'delete', 'w1')).code).toBe(0);
    const { code, err } = await cli('resource', 'delete', 'w2');
    expect([code, err.includes('several resources')]).toEqual([2, true]);
  });
});
