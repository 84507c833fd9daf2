import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const REQUIREMENTS = 'examples/python-executor/requirements.txt';

/** A Python that has the packages of the Python executor, in a virtual environment outside the clone; made once per set of packages. */
export function preparePython(root, say) {
  const requirements = join(root, REQUIREMENTS);
  if (!existsSync(requirements)) throw new Error(`${REQUIREMENTS} is not there`);
  const version = output('python3', ['--version']);
  const digest = createHash('sha256').update(version).update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(cacheFolder(), `python-${digest}`);
  const python = join(folder, 'bin', 'python');
  const done = join(folder, 'complete');
  if (existsSync(done)) return python;
  say('making a Python environment (once) …');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  output('python3', ['-m', 'venv', folder]);
  output(python, ['-m', 'pip', 'install', '--quiet', '--requirement', requirements]);
  writeFileSync(done, version);
  return python;
}

/** As src/config.ts has it. */
function cacheFolder() {
  const { COLONY_CACHE, XDG_CACHE_HOME } = process.env;
  return COLONY_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'colony');
}

function output(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (error) throw new Error(`${command} cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${command} ${args[0]} ${args[1]} failed: ${(stderr || stdout).trim().split('\n').at(-1)}`);
  return stdout.trim();
}
