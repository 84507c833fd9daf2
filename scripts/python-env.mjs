// Makes a Python that has the packages of examples/02-python-executor, in a virtual environment outside the clone.
// `node scripts/python-env.mjs` prints its path. Made once for each set of packages and version of Python.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIREMENTS = 'examples/02-python-executor/requirements.txt';
const OLDEST = [3, 10];
const NAMES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];

/** Path of the environment's interpreter. Throws one sentence for a person when it cannot be had. */
export function preparePython(root, say) {
  const requirements = join(root, REQUIREMENTS);
  const { command, version } = findPython();
  const digest = createHash('sha256').update(version).update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(cacheFolder(), `python-${digest}`);
  const python = join(folder, 'bin', 'python');
  if (existsSync(python)) return python;
  say(`making a Python environment with ${version} (once) …`);
  mkdirSync(cacheFolder(), { recursive: true });
  // Whole or not at all, also when two do it at once. Only `python -m` is used of it, which does not mind the move.
  const draft = mkdtempSync(join(cacheFolder(), '.python-'));
  try {
    install(command, draft, requirements);
    if (existsSync(python)) return python;
    rmSync(folder, { recursive: true, force: true }); // its Python was taken away
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(python)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return python;
}

/** Debian leaves out what puts pip into an environment, unless python3-venv is installed; a pip outside can do it instead. */
function install(command, folder, requirements) {
  const inside = join(folder, 'bin', 'python');
  const packages = ['install', '--quiet', '--disable-pip-version-check', '--requirement', requirements];
  if (run(command, ['-m', 'venv', folder]).status === 0) return must(inside, ['-m', 'pip', ...packages]);
  must(command, ['-m', 'venv', '--clear', '--without-pip', folder]);
  must(command, ['-m', 'pip', '--python', inside, ...packages]);
}

function findPython() {
  for (const command of NAMES) {
    const { status, stdout } = run(command, ['--version']);
    const [version, major, minor] = /Python (\d+)\.(\d+)\S*/.exec(stdout ?? '') ?? [];
    if (status === 0 && Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]) return { command, version };
  }
  throw new Error(`no Python ${OLDEST.join('.')} or newer is on PATH`);
}

/** As src/config.ts has it. */
function cacheFolder() {
  const { COLONY_CACHE, XDG_CACHE_HOME } = process.env;
  return resolve(COLONY_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'colony'));
}

const run = (command, args) => spawnSync(command, args, { encoding: 'utf8' });

function must(command, args) {
  const { status, stdout, stderr, error } = run(command, args);
  if (error) throw new Error(`${command} cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed: ${(stderr || stdout).trim().split('\n').at(-1)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(preparePython(dirname(dirname(fileURLToPath(import.meta.url))), (sentence) => console.error(sentence)));
  } catch (error) {
    console.error(`python-env: ${error.message}`);
    process.exitCode = 1;
  }
}
