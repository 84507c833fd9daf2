#!/usr/bin/env node
// Makes sure that dependencies are installed and dist/ is fresh, then hands over to dist/cli.mjs.
// On the way to every command: node's own modules only, and nothing slow when there is nothing to do.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fingerprint } from '../scripts/fingerprint.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) await install();
if (!isFresh()) await build();
await import(pathToFileURL(join(dist, 'cli.mjs')).href);

function isFresh() {
  try {
    return readFileSync(join(dist, 'stamp'), 'utf8') === fingerprint(root);
  } catch {
    return false;
  }
}

async function install() {
  console.error('colony: installing dependencies (npm ci; once, about a minute) …');
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], 'npm ci failed; the lines above say why');
}

async function build() {
  await run(process.execPath, [join(root, 'scripts', 'build.mjs')], 'the build failed; the lines above say why');
}

/** Children write to stderr only: stdout belongs to the command. */
async function run(command, args, failure) {
  const { spawnSync } = await import('node:child_process');
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(`colony: ${failure}.`);
  process.exit(1);
}
