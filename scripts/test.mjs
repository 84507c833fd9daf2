// `npm test`: everything from a fresh clone on. Installs, builds, gets what the tests need, runs them all, and ends with
// `N passed, N failed`. What could not be set up is said; with CI set it is a failure. Arguments are handed to vitest.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareDocker } from './docker-env.mjs';
import { preparePython } from './python-env.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const missing = [];
let current; // the process that is under way
let signalled;

/** What was set up is ended before this process does. Ctrl-C reaches everybody by itself, and twice would be too much for vitest. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    signalled = signal;
    setTimeout(() => current?.kill('SIGTERM'), signal === 'SIGINT' ? 500 : 0);
  });
}

if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) await must('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
await must(process.execPath, [join(root, 'scripts', 'build.mjs')]);
const python = await prepare('Python with its packages', () => ({ COLONY_TEST_PYTHON: preparePython(root, say) }));
const docker = await prepareDocker(prepare, say);
const env = { ...process.env, ...python, ...docker.env };

const folder = mkdtempSync(join(tmpdir(), 'colony-results-'));
const report = join(folder, 'results.json');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const vitest = signalled
  ? 1
  : await run(join(root, 'node_modules', '.bin', 'vitest'), ['run', ...reporters, ...process.argv.slice(2)], env);
await docker.end();
const { passed, failed, skipped } = count(report);
rmSync(folder, { recursive: true, force: true });

for (const name of skipped) say(`skipped: ${name}`);
for (const what of missing) say(`could not be set up: ${what}`);
const isGood = vitest === 0 && !signalled && failed === 0 && !(process.env.CI && missing.length + skipped.length > 0);
console.log(`${passed} passed, ${failed + (isGood || failed > 0 ? 0 : 1)} failed`);
process.exitCode = isGood ? 0 : 1;

/** Files that could not even be loaded have no tests, and count as one failure each. */
function count(path) {
  if (!existsSync(path)) return { passed: 0, failed: 1, skipped: [] };
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const broken = testResults.filter((file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'));
  const of = (...statuses) => tests.filter(({ status }) => statuses.includes(status));
  return {
    passed: of('passed').length,
    failed: of('failed').length + broken.length,
    skipped: of('pending', 'skipped', 'todo').map(({ fullName }) => fullName),
  };
}

/** Something that only some tests need. */
async function prepare(what, work) {
  try {
    return await work();
  } catch (error) {
    missing.push(`${what} (${error.message})`);
    say(missing.at(-1));
    return {};
  }
}

async function must(command, args) {
  if ((await run(command, args, process.env)) === 0) return;
  console.log('0 passed, 1 failed');
  process.exit(1);
}

function run(command, args, env) {
  return new Promise((resolve) => {
    current = spawn(command, args, { cwd: root, env, stdio: 'inherit' });
    current.on('error', () => resolve(1));
    current.on('close', (code) => resolve(code ?? 1));
  });
}

function say(sentence) {
  console.log(`set-up: ${sentence}`);
}
