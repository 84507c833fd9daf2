import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { resolveHostPath } from './host-path.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'host-path-')));
const root = join(folder, 'root');
mkdirSync(join(root, 'data'), { recursive: true });
mkdirSync(join(folder, 'root-twin'));
mkdirSync(join(folder, 'secret'));
writeFileSync(join(root, 'file'), '');
symlinkSync(join(folder, 'secret'), join(root, 'out'));
symlinkSync(join(root, 'data'), join(root, 'in'));
symlinkSync(root, join(folder, 'alias'));
afterAll(() => rmSync(folder, { recursive: true }));

const blocked = expect.objectContaining({ reason: 'Blocked' });

describe('resolveHostPath', () => {
  it.each([
    { name: 'a folder', source: join(root, 'data'), real: join(root, 'data') },
    { name: 'a file', source: join(root, 'file'), real: join(root, 'file') },
    { name: 'the root itself', source: `${root}/`, real: root },
    { name: 'a link that stays inside', source: join(root, 'in'), real: join(root, 'data') },
  ])('gives the real path of $name', async ({ source, real }) => expect(await resolveHostPath(source, [root])).toBe(real));

  it('takes a root that is a link for what it leads to', async () => {
    expect(await resolveHostPath(join(folder, 'alias', 'data'), [join(folder, 'alias')])).toBe(join(root, 'data'));
  });

  it.each([
    { name: 'what is elsewhere', source: join(folder, 'secret') },
    { name: 'what only begins alike', source: join(folder, 'root-twin') },
    { name: 'a link that leads out', source: join(root, 'out') },
    { name: 'dots that lead out', source: `${root}/data/../../secret` },
    { name: 'dots that stay inside', source: `${root}/data/..` },
    { name: 'what is missing', source: join(root, 'missing') },
    { name: 'a relative path', source: 'root/data' },
    { name: 'nothing', source: '' },
    { name: 'a path with NUL', source: `${root}/data\0` },
    { name: 'a path that ends in a blank', source: `${root}/data ` },
    { name: 'the whole machine', source: '/' },
  ])('refuses $name', async ({ source }) => await expect(resolveHostPath(source, [root])).rejects.toEqual(blocked));

  it('refuses everything when nothing is allowed', async () => {
    await expect(resolveHostPath(root, [])).rejects.toEqual(blocked);
  });

  it('refuses sockets, and whatever the socket of the engine lies in', async () => {
    const socket = join(root, 'engine.sock');
    const server = createServer().listen(socket);
    await new Promise((ready) => server.once('listening', ready));
    await expect(resolveHostPath(socket, [root])).rejects.toEqual(blocked);
    await expect(resolveHostPath(root, [root], socket)).rejects.toEqual(blocked);
    expect(await resolveHostPath(join(root, 'data'), [root], socket)).toBe(join(root, 'data'));
    await new Promise((closed) => server.close(closed));
    for (const path of ['/run', '/']) await expect(resolveHostPath(path, ['/']), path).rejects.toEqual(blocked);
  });
});
