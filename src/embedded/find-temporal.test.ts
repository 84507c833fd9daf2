import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTemporal, TEMPORAL_VERSION, TemporalNotFound } from './find-temporal.ts';

let root: string;
let said: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'colony-find-'));
  said = [];
});
afterEach(() => rmSync(root, { recursive: true }));

function put(folder: string, name: string, script: string): string {
  mkdirSync(join(root, folder), { recursive: true });
  const file = join(root, folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const answers = (server: string): string => `echo "temporal version 9.9.9 (Server ${server}, UI 2.0.0)"`;
const cached = `temporal-${TEMPORAL_VERSION}`;
const fails = (message: string) => () => Promise.reject(new Error(message));
const never = fails('must not be tried');

const find = (folders: string[], get: { download?: typeof never; build?: typeof never } = {}) =>
  findTemporal({
    path: folders.map((folder) => join(root, folder)).join(delimiter),
    cache: join(root, 'cache'),
    say: (sentence) => said.push(sentence),
    download: get.download ?? never,
    build: get.build ?? never,
  });

describe('findTemporal', () => {
  it('prefers PATH, in its order, to the cache', async () => {
    put('cache', cached, answers('1.29.1'));
    put('b', 'temporal', answers('1.29.1'));
    const first = put('a', 'temporal', answers('1.29.1'));
    expect(await find(['a', 'b'])).toBe(first);
    expect(said).toEqual([]);
  });

  it.each([
    ['too old', answers('1.20.0')],
    ['broken', 'exit 3'],
    ['something else of that name', 'echo hello'],
  ])('passes over one that is %s, says so, and takes the cached one', async (_, script) => {
    const poor = put('a', 'temporal', script);
    const good = put('cache', cached, answers('1.29.1'));
    expect(await find(['a'])).toBe(good);
    expect(said).toEqual([expect.stringContaining(poor)]);
  });

  it('downloads into the cache, whole or not at all', async () => {
    const download = async (_: string, target: string): Promise<void> => writeFileSync(target, 'binary');
    expect(await find(['nowhere'], { download: download as typeof never })).toBe(join(root, 'cache', cached));
    expect(readdirSync(join(root, 'cache'))).toEqual([cached]);
  });

  it('builds when the download fails, and says why it had to', async () => {
    const build = async (_: string, target: string): Promise<void> => writeFileSync(target, 'binary');
    await find([], { download: fails('no network'), build: build as typeof never });
    expect(said).toEqual(['no network.']);
  });

  it('says everything that was tried when nothing helps', async () => {
    const error = await find([], { download: fails('no network'), build: fails('no Go') }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TemporalNotFound);
    expect((error as Error).message).toMatch(/no network; no Go.*TEMPORAL_ADDRESS/);
  });
});
