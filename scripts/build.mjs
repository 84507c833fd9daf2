// Makes dist/ from the sources: quick.cjs, cli.mjs, whole.mjs (+ chunks), worker.mjs, executor.mjs, client.mjs, workflow-bundle.js, stamp.
// Parts whose inputs did not change are left alone.
// Safe beside a running colony and beside another build: everything is made in a draft folder and moved in file by file, entries after
// their chunks; chunks of earlier builds stay for a day, for processes that load them late.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { evaluated } from './evaluated.mjs';
import { fingerprint, isFreshStamp, isSource, walk } from './fingerprint.cjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const DAY_MS = 86_400_000;

const parts = [
  { entry: 'src/cli/quick/main.ts', output: 'quick.cjs', from: ['src', 'definitions'], make: bundleQuick },
  { entry: 'src/cli/main.ts', output: 'cli.mjs', from: ['src', 'definitions', 'workflows', 'activities'], make: bundleCli },
  { entry: 'src/node/worker-main.ts', output: 'worker.mjs', from: ['src', 'definitions', 'activities'], make: bundleLibrary },
  // What `import … from 'colony/executor'` and `from 'colony'` give (see exports in package.json).
  { entry: 'src/executor/index.ts', output: 'executor.mjs', from: ['src', 'definitions', 'activities'], make: bundleLibrary },
  { entry: 'src/client/index.ts', output: 'client.mjs', from: ['src', 'definitions', 'workflows'], make: bundleLibrary },
  { entry: 'workflows/index.ts', output: 'workflow-bundle.js', from: ['workflows', 'definitions/core'], make: bundleWorkflows },
];

async function build() {
  mkdirSync(join(dist, 'chunks'), { recursive: true });
  let stamp = fingerprint(root);
  if (isFreshStamp(root, readOr('stamp', ''))) return;
  let drafts = await makeDrafts();
  for (let again = 0; again < 3 && fingerprint(root) !== stamp; again += 1) {
    // Somebody saved a file meanwhile: what was made may be half old, half new.
    process.exitCode = 0;
    stamp = fingerprint(root);
    drafts = await makeDrafts(drafts);
  }
  for (const draft of drafts) moveIn(draft);
  const digests = Object.fromEntries(drafts.map(({ part, digest }) => [part.output, digest]));
  write('digests.json', JSON.stringify({ ...JSON.parse(readOr('digests.json', '{}')), ...digests }));
  if (process.exitCode !== 1) write('stamp', stamp);
  drop(dist, /^\.draft-/);
  if ('cli.mjs' in digests) drop(join(dist, 'chunks'), /./);
}

/** One folder for each part that has to be made anew; `earlier` drafts are thrown away. */
async function makeDrafts(earlier = []) {
  for (const { folder } of earlier) rmSync(folder, { recursive: true, force: true });
  const digests = JSON.parse(readOr('digests.json', '{}'));
  const drafts = [];
  for (const part of parts) {
    if (!existsSync(join(root, part.entry))) {
      console.error(`build: ${part.entry} is not there; ${part.output} is skipped`);
      continue;
    }
    const digest = digestOf(part);
    if (digests[part.output] === digest && existsSync(join(dist, part.output))) continue;
    const began = Date.now();
    const folder = mkdtempSync(join(dist, '.draft-'));
    try {
      await part.make(join(root, part.entry), folder, part.output);
      drafts.push({ part, digest, folder });
      console.error(`build: ${part.output} in ${((Date.now() - began) / 1000).toFixed(1)} s`);
    } catch (error) {
      // The other parts are of use all the same.
      rmSync(folder, { recursive: true, force: true });
      console.error(`build: ${part.output} failed: ${error.message}`);
      process.exitCode = 1;
    }
  }
  return drafts;
}

/** Of the contents of everything that may go into the part, and of what makes it. */
function digestOf({ from }) {
  const hash = createHash('sha256');
  const add = (path) => hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  for (const folder of from) {
    const found = [];
    walk(join(root, folder), (path) => isSource(path) && found.push(path));
    found.sort().forEach(add);
  }
  for (const file of ['package-lock.json', 'scripts/build.mjs', 'scripts/evaluated.mjs']) add(join(root, file));
  return hash.digest('hex');
}

function moveIn({ part, folder }) {
  const made = [];
  walk(folder, (path) => made.push(relative(folder, path)));
  made.sort((a, b) => Number(a === part.output) - Number(b === part.output));
  for (const path of made) renameSync(join(folder, path), join(dist, path));
  rmSync(folder, { recursive: true, force: true });
}

const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'error',
};

const cliOptions = {
  ...common,
  minifySyntax: true,
  minifyWhitespace: true,
  plugins: [evaluated(/[/\\]quick[/\\]built-in-kinds\.ts$/)],
};

/**
 * quick.cjs answers a plain `get` by itself. One small file, because reading many takes longer than the answer, and beside it quick.v8:
 * what V8 made of it, all functions included, because compiling them takes longer than running them once. Both begin with one digest.
 */
async function bundleQuick(entry, outdir, output) {
  const esbuild = await import('esbuild');
  const outfile = join(outdir, output);
  const elsewhere = {
    name: 'elsewhere',
    setup(build) {
      // What it would load late, it leaves to the rest: the throw sends it there.
      build.onResolve({ filter: /^\./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, namespace: 'elsewhere' } : undefined));
      build.onLoad({ filter: /./, namespace: 'elsewhere' }, () => ({ contents: "throw new Error('not in quick.cjs')" }));
    },
  };
  await esbuild.build({
    ...cliOptions,
    entryPoints: [entry],
    outfile,
    format: 'cjs',
    sourcemap: false,
    define: { 'import.meta.url': '__here.url' },
    banner: { js: "const __here={get url(){return require('node:url').pathToFileURL(__filename).href}};" },
    plugins: [...cliOptions.plugins, elsewhere],
  });
  const code = readFileSync(outfile, 'latin1');
  const digest = createHash('sha256').update(code, 'latin1').digest('hex');
  const source = `//${digest}\n${code}`;
  writeFileSync(outfile, source, 'latin1');
  setFlagsFromString('--no-lazy');
  const script = new Script(Module.wrap(source));
  setFlagsFromString('--lazy'); // V8 takes its code back only under the same flags
  writeFileSync(join(outdir, 'quick.v8'), Buffer.concat([Buffer.from(digest), script.createCachedData()]));
}

/** cli.mjs is the way to quick.cjs and to whole.mjs with its chunks: everything inside, but what a command does not need stays unread. */
async function bundleCli(entry, outdir) {
  const esbuild = await import('esbuild');
  const options = { ...cliOptions, external: ['@temporalio/worker', '@temporalio/core-bridge', 'colony/executor', 'esbuild'] };
  await esbuild.build({
    ...options,
    entryPoints: { whole: join(dirname(entry), 'whole.ts') },
    outdir,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    // Packages written for CommonJS call require for node's own modules.
    banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
  });
  const apart = {
    name: 'apart',
    setup(build) {
      build.onResolve({ filter: /^\.\/whole\.ts$/ }, () => ({ path: './whole.mjs', external: true }));
      build.onResolve({ filter: /^\.\/quick\/main\.ts$/ }, () => ({ path: './quick.cjs', external: true }));
    },
  };
  await esbuild.build({ ...options, entryPoints: [entry], outfile: join(outdir, 'cli.mjs'), plugins: [apart] });
}

/** Our own code in one file; packages stay where they are, so that there is one Temporal SDK in a process. */
async function bundleLibrary(entry, outdir, output) {
  const esbuild = await import('esbuild');
  await esbuild.build({ ...common, entryPoints: [entry], outfile: join(outdir, output), packages: 'external' });
}

async function bundleWorkflows(entry, outdir) {
  const { bundleWorkflowCode } = createRequire(import.meta.url)('@temporalio/worker');
  const said = [];
  const keep = (level, message) => said.push(`${level}: ${message}`);
  const quiet = () => {};
  const logger = { log: keep, trace: quiet, debug: quiet, info: quiet, warn: (m) => keep('warn', m), error: (m) => keep('error', m) };
  try {
    const beside = (name) => join(dirname(entry), name);
    const { code } = await bundleWorkflowCode({
      workflowsPath: entry,
      payloadConverterPath: beside('payload-converter.ts'),
      workflowInterceptorModules: [beside('interceptors.ts')],
      // Loaded once for all workflows of a thread instead of once for each; they keep no state of their own.
      preloadModules: ['lean-stacks.ts', 'index.ts', 'payload-converter.ts', 'interceptors.ts'].map(beside),
      logger,
    });
    writeFileSync(join(outdir, 'workflow-bundle.js'), code);
  } catch (error) {
    console.error(said.join('\n'));
    throw error;
  }
}

/** Leftovers of builds that are more than a day old; what the newest build named again was written again. */
function drop(folder, pattern) {
  const old = (name) => pattern.test(name) && Date.now() - statSync(join(folder, name)).mtimeMs > DAY_MS;
  for (const name of readdirSync(folder).filter(old)) rmSync(join(folder, name), { recursive: true, force: true });
}

function write(name, text) {
  const draft = join(dist, `.draft-${name}-${process.pid}`);
  writeFileSync(draft, text);
  renameSync(draft, join(dist, name));
}

function readOr(name, otherwise) {
  try {
    return readFileSync(join(dist, name), 'utf8');
  } catch {
    return otherwise;
  }
}

await build();
