import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cloneRoot } from '../../src/config.ts';

/**
 * A Python with the packages of the Python executor: the one that `npm test` has made, else made now. Undefined, said aloud, when
 * there is none to be had; in CI that is an error.
 */
export const python: string | undefined = process.env.COLONY_TEST_PYTHON || make();

function make(): string | undefined {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(cloneRoot(), 'scripts', 'python-env.mjs')], { encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  if (process.env.CI) throw new Error(stderr.trim());
  console.error(`skipped, what needs Python: ${stderr.trim()}`);
  return undefined;
}
