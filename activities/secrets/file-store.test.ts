import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FileStore } from './file-store.ts';

const DB = 'databases.app.colonies.io/default/db';

let root: string;
let store: FileStore;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'colony-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  root = join(folder, 'secrets');
  store = new FileStore(root);
});

/** Every file and folder, relative, by its mode. */
const everything = (): [string, string][] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => [path, (statSync(join(root, path)).mode & 0o777).toString(8)]);

describe('FileStore', () => {
  it('gives back what was put, the newest of each key', async () => {
    expect(await store.get(DB, 'password')).toBeUndefined();
    expect(await store.keys(DB)).toEqual([]);
    await store.put(DB, 'password', 'one');
    await store.put(DB, 'password', 'two\n"quoted" ${x}');
    await store.put(DB, 'user', 'admin');
    expect(await new FileStore(root).get(DB, 'password')).toBe('two\n"quoted" ${x}');
    expect(await store.keys(DB)).toEqual(['password', 'user']);
    expect(await store.get(`${DB}2`, 'password')).toBeUndefined();
  });

  it('removes all of one resource and nothing of another', async () => {
    await store.put(DB, 'password', 'one');
    await store.put('other', 'password', 'two');
    await store.remove(DB);
    await store.remove(DB);
    expect(await store.keys(DB)).toEqual([]);
    expect(await store.get('other', 'password')).toBe('two');
  });

  it('shows nobody else anything: names are hashes, files and folders are closed', async () => {
    await store.put(DB, '../../password', 'one');
    expect((statSync(root).mode & 0o777).toString(8)).toBe('700');
    const all = everything();
    expect(all.map(([, mode]) => mode).sort()).toEqual(['600', '700']);
    for (const [path] of all) expect(path).toMatch(/^[0-9a-f]{64}(\/[0-9a-f]{64})?$/);
    expect(await store.get(DB, '../../password')).toBe('one');
  });

  it('leaves whole values and no drafts when many write at once', async () => {
    const values = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
    await Promise.all(values.map((value) => store.put(DB, 'password', value)));
    expect(values).toContain(await store.get(DB, 'password'));
    expect(everything()).toHaveLength(2);
  });
});
