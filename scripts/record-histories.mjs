// `npm run record`: plays the scenarios of test/replay/scenarios.ts that have no recorded history yet against a fresh dev server, and
// puts their histories into test/fixtures/histories/. What was recorded stays as it is: old histories must replay with new code.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = ['run', '--project', 'cross', 'test/replay.test.ts', '-t', 'records what is not there yet'];
const { status } = spawnSync(join(root, 'node_modules', '.bin', 'vitest'), args, {
  cwd: root,
  env: { ...process.env, RECORD: '1', COLONY_LOG_LEVEL: process.env.COLONY_LOG_LEVEL ?? 'silent' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
