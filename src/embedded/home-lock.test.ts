import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeHome } from './home-lock.ts';
import { identify } from './process-identity.ts';

const newHome = (): string => mkdtempSync(join(tmpdir(), 'colony-lock-'));

describe('takeHome', () => {
  it('gives the home to one holder, names it to the others, and is free after release', () => {
    const home = newHome();
    const first = takeHome(home);
    expect(takeHome(home)).toEqual({ heldBy: identify(process.pid) });
    if ('release' in first) first.release();
    expect(takeHome(home)).toHaveProperty('release');
  });

  it.each(['', '{}', JSON.stringify({ pid: process.pid, started: 'in an earlier life' })])(
    'takes over the lock of a dead holder: %j',
    (text) => {
      const home = newHome();
      writeFileSync(join(home, 'up.lock'), text);
      expect(takeHome(home)).toHaveProperty('release');
      expect(readdirSync(home)).toEqual(['up.lock']);
    },
  );
});
