// `npm run check`: format, lint, types, unit tests; well under a minute. Says one line per step, and a failed step's own words.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

// Quick rather than thorough: all at once, and fewer random stories are told than by `npm test`.
process.env.COLONY_SIM_RUNS ??= '150';
process.env.COLONY_TEST_WORKERS ??= '3'; // many tests only wait
const results = await Promise.all([
  step('format and lint', 'biome', ['check', '--error-on-warnings', '.']),
  step('types', 'tsc', ['--project', '.']),
  step('unit tests', 'vitest', ['run', '--project', 'unit', '--reporter=dot']),
]);
process.exitCode = results.every(Boolean) ? 0 : 1;

/** Runs a tool of node_modules/.bin; true if it was content. */
async function step(name, tool, args) {
  const began = Date.now();
  const { code, said } = await run(join(root, 'node_modules', '.bin', tool), args);
  const took = `${((Date.now() - began) / 1000).toFixed(1)} s`;
  if (code === 0) console.log(`ok      ${name} (${took})`);
  else console.log(`${said.trimEnd()}\nFAILED  ${name} (${took})`);
  return code === 0;
}

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const hear = (chunk) => {
      said += chunk;
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', (error) => resolve({ code: 1, said: `${error.message}; is everything installed (npm ci)?` }));
    child.on('close', (code) => resolve({ code, said }));
  });
}
