import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloneRoot } from '../src/config.ts';

/** A clone with the real bin/ and fingerprint, and a build that only counts. */
let root: string;
const put = (path: string, text: string): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};

const BUILD = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { fingerprint } from './fingerprint.cjs';
const root = process.cwd();
appendFileSync(root + '/builds', 'x');
mkdirSync(root + '/dist', { recursive: true });
const said = '[argv.join(" "), process.env.NODE_EXTRA_CA_CERTS ?? "no certificates"].join("; ")';
writeFileSync(root + '/dist/whole.mjs', 'export const main = (argv) => console.log("whole: " + ' + said + ');');
writeFileSync(root + '/dist/quick.cjs', 'exports.quick = async (argv, isWanted) => isWanted() && (console.log("quick: " + ' + said + '), true);');
writeFileSync(root + '/dist/quick.v8', '');
writeFileSync(root + '/dist/stamp', fingerprint(root));
`;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'colony-bin-'));
  cpSync(join(cloneRoot(), 'bin'), join(root, 'bin'), { recursive: true });
  cpSync(join(cloneRoot(), 'scripts', 'fingerprint.cjs'), join(root, 'scripts', 'fingerprint.cjs'));
  put('package.json', '{"type":"module"}');
  put('package-lock.json', '{}');
  put('node_modules/.package-lock.json', '{}');
  put('scripts/build.mjs', BUILD);
  put('src/deep/a.ts', 'a');
  put('src/a.test.ts', 'a');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function colony(...argv: string[]): string {
  const { stdout, stderr, status } = spawnSync(join(root, 'bin', 'colony'), argv, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: '/none' },
  });
  expect([status, stderr.replaceAll(/^Warning: .*\n/gm, '')]).toEqual([0, '']);
  return stdout;
}
const builds = (): number => readFileSync(join(root, 'builds'), 'utf8').length;

describe('bin/colony', () => {
  it('builds when there is nothing, and then no more', () => {
    expect([colony('get', 'x'), builds()]).toEqual(['whole: get x; no certificates\n', 1]);
    expect([colony('get', 'x'), builds()]).toEqual(['quick: get x; no certificates\n', 1]);
    expect([colony('kinds'), builds()]).toEqual(['whole: kinds; /none\n', 1]);
  });

  it.each<{ name: string; change: () => void }>([
    { name: 'is changed in place', change: () => appendFileSync(join(root, 'src/deep/a.ts'), 'b') },
    { name: 'is touched', change: () => utimesSync(join(root, 'src/deep/a.ts'), 1, 1) },
    { name: 'comes', change: () => put('src/deep/b.ts', 'b') },
    { name: 'comes in a new folder', change: () => put('workflows/more/b.ts', 'b') },
    { name: 'goes', change: () => rmSync(join(root, 'src/deep/a.ts')) },
    { name: 'is the lock file', change: () => put('package-lock.json', '{"packages":{}}') },
  ])('throws the quick answer away and builds anew when a source $name', ({ change }) => {
    colony('kinds');
    change();
    expect([colony('get', 'x'), builds()]).toEqual(['whole: get x; no certificates\n', 2]);
    expect([colony('get', 'x'), builds()]).toEqual(['quick: get x; no certificates\n', 2]);
  });

  it('does not build anew for a test', () => {
    colony('kinds');
    put('src/b.test.ts', 'b');
    rmSync(join(root, 'src/a.test.ts'));
    expect([colony('get', 'x'), builds()]).toEqual(['quick: get x; no certificates\n', 1]);
  });

  it('takes quick code of another build as source only', () => {
    colony('kinds');
    put('dist/quick.v8', 'x'.repeat(10_000));
    expect(colony('get', 'x')).toContain('quick: ');
  });

  it('is found through links', () => {
    mkdirSync(join(root, 'node_modules', '.bin'));
    symlinkSync('../../bin/colony', join(root, 'node_modules', '.bin', 'colony'));
    symlinkSync(join(root, 'node_modules', '.bin', 'colony'), join(root, 'link'));
    const { stdout } = spawnSync(join(root, 'link'), ['kinds'], { encoding: 'utf8', env: { PATH: process.env.PATH } });
    expect(stdout).toBe('whole: kinds; no certificates\n');
  });
});
