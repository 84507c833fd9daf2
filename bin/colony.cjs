// Makes sure that dependencies are installed and dist/ is fresh, then hands over to dist/whole.mjs; a plain `get` is answered by
// dist/quick.cjs instead, which looks whether dist/ is fresh while the server thinks.
// On the way to every command: CommonJS, because Node loads it sooner; node's own modules only; nothing slow when there is nothing to do.
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

const root = dirname(__dirname);
const dist = join(root, 'dist');
const DIGEST_CHARS = 64;

main(process.argv.slice(2)).catch((error) => {
  console.error(`colony: ${error.message}`);
  process.exit(1);
});

async function main(argv) {
  if (argv[0] === 'get' && (await loadQuick()?.quick?.(argv, isFresh))) return;
  if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) install();
  if (!isFresh()) build();
  const { main } = await import('../dist/whole.mjs');
  await main(argv);
}

/** With the code that V8 made of it while building; undefined when there is none to load. */
function loadQuick() {
  const file = join(dist, 'quick.cjs');
  try {
    const source = readFileSync(file, 'latin1');
    const compiled = readFileSync(join(dist, 'quick.v8'));
    // V8 compares no more than the length, and another build may just be moving its files in.
    const isOfOneBuild = source.startsWith(`//${compiled.latin1Slice(0, DIGEST_CHARS)}\n`);
    const cachedData = isOfOneBuild ? compiled.subarray(DIGEST_CHARS) : undefined;
    const quick = { exports: {} };
    new Script(wrap(source), { filename: file, cachedData }).runInThisContext()(quick.exports, require, quick, file, dist);
    return quick.exports;
  } catch {
    return undefined;
  }
}

function isFresh() {
  const { isFreshStamp } = require('../scripts/fingerprint.cjs');
  try {
    return isFreshStamp(root, readFileSync(join(dist, 'stamp'), 'utf8'));
  } catch {
    return false;
  }
}

function install() {
  console.error('colony: installing dependencies (npm ci; once, about a minute) …');
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], 'npm ci failed; the lines above say why');
}

function build() {
  run(process.execPath, [join(root, 'scripts', 'build.mjs')], 'the build failed; the lines above say why');
}

/** Children write to stderr only: stdout belongs to the command. */
function run(command, args, failure) {
  const { spawnSync } = require('node:child_process');
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(`colony: ${failure}.`);
  process.exit(1);
}
