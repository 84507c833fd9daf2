import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cloneRoot } from '../src/config.ts';

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (name: string): { packages: Record<string, Entry> } & Entry => JSON.parse(readFileSync(join(cloneRoot(), name), 'utf8'));
const { packages } = read('package-lock.json');

/** Where node would find a dependency of the package at `path`: in its own node_modules, or in one above. */
function isLocked(path: string, name: string): boolean {
  if (packages[`${path ? `${path}/` : ''}node_modules/${name}`]) return true;
  return path !== '' && isLocked(path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1)), name);
}

it('locks the packages of every platform, else `npm ci` refuses (npm forgets those that the registry in use does not have)', () => {
  const lost = Object.entries(packages).flatMap(([path, { dependencies = {}, optionalDependencies = {} }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !isLocked(path, name)),
  );
  expect(lost).toEqual([]);
});

it('pins exact versions and names no registry', () => {
  const { dependencies, devDependencies } = read('package.json') as unknown as { dependencies: object; devDependencies: object };
  for (const version of Object.values({ ...dependencies, ...devDependencies })) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(Object.values(packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
});
