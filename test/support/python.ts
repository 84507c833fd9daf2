import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { cloneRoot } from '../../src/config.ts';

let found: string | undefined;

/** A Python with the packages of the Python executor: the one that `npm test` has made, else made now. */
export function python(): string {
  found ??=
    process.env.COLONY_TEST_PYTHON ||
    execFileSync(process.execPath, [join(cloneRoot(), 'scripts', 'python-env.mjs')], { encoding: 'utf8' }).trim();
  return found;
}
