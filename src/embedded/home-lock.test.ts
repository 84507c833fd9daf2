import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify } from '../../activities/runtimes/local/process-identity.ts';
import { takeHome } from './home-lock.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'colony-lock-'));
});
afterEach(() => rmSync(home, { recursive: true }));

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
});
