import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { identify } from '../../activities/runtimes/local/process-identity.ts';
import { takeHome } from './home-lock.ts';

const fails = vi.hoisted(() => ({ link: undefined as string | undefined, create: undefined as string | undefined }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  const failing = (code: string): never => {
    throw Object.assign(new Error(code), { code });
  };
  return {
    ...fs,
    linkSync: (...args: Parameters<typeof fs.linkSync>) => (fails.link ? failing(fails.link) : fs.linkSync(...args)),
    writeFileSync: (...args: Parameters<typeof fs.writeFileSync>) =>
      fails.create && typeof args[2] === 'object' && args[2]?.flag === 'wx' ? failing(fails.create) : fs.writeFileSync(...args),
  };
});

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'colony-lock-'));
});
afterEach(() => {
  fails.link = undefined;
  fails.create = undefined;
  rmSync(home, { recursive: true });
});

describe('takeHome', () => {
  it('gives the home to one holder, names it to the others, and is free after release', () => {
    const first = takeHome(home);
    expect(takeHome(home)).toEqual({ heldBy: identify(process.pid) });
    if ('release' in first) first.release();
    expect(takeHome(home)).toHaveProperty('release');
  });

  it.each(['', '{}', JSON.stringify({ pid: process.pid, started: 'in an earlier life' })])(
    'takes over the lock of a dead holder: %j',
    (text) => {
      writeFileSync(join(home, 'up.lock'), text);
      expect(takeHome(home)).toHaveProperty('release');
      expect(readdirSync(home)).toEqual(['up.lock']);
    },
  );

  it.each(['EPERM', 'ENOTSUP', 'EMLINK'])('does without hard links where there are none: %s', (code) => {
    fails.link = code;
    const first = takeHome(home);
    expect(takeHome(home)).toEqual({ heldBy: identify(process.pid) });
    if ('release' in first) first.release();
    writeFileSync(join(home, 'up.lock'), JSON.stringify({ pid: process.pid, started: 'in an earlier life' }));
    expect(takeHome(home)).toHaveProperty('release');
    expect(readdirSync(home)).toEqual(['up.lock']);
  });

  it('fails on a home that takes no lock at all, instead of trying for ever', () => {
    fails.link = 'EPERM';
    fails.create = 'EROFS';
    expect(() => takeHome(home)).toThrow(expect.objectContaining({ code: 'EROFS' }));
  });
});
