import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findNodeDoor, placeNodeDoor } from './address.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'door-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('the place of the node door', () => {
  it('is in the home', () => {
    expect(placeNodeDoor(home, 'a')).toBe(join(home, 'node-a.sock'));
    expect(findNodeDoor(home, 'a')).toBe(join(home, 'node-a.sock'));
  });

  it('is a folder of our own where the home is too deep for a socket, and is found from the home', () => {
    const deep = join(home, 'x'.repeat(120));
    const path = placeNodeDoor(deep, 'a');
    expect(Buffer.byteLength(path)).toBeLessThan(100);
    expect(findNodeDoor(deep, 'a')).toBe(path);
    expect(findNodeDoor(deep, 'b')).not.toBe(path);
    expect(lstatSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(placeNodeDoor(deep, 'a')).toBe(path);
    rmSync(dirname(path), { recursive: true });
  });
});
