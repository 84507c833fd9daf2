// `npm run bench`: makes dist/ and dist/bench/ fresh, then hands over to dist/bench/main.mjs. bench/README.md says the rest.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outdir = join(root, 'dist', 'bench');

/** stdout belongs to the results. */
function build() {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail('the build failed; the lines above say why');
}

async function bundle() {
  const { build } = await import('esbuild');
  const inside = (folder) => readdirSync(join(root, 'bench', folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const entries = [
    'main.ts',
    'bare/worker.ts',
    ...['suites', 'processes'].flatMap((folder) => inside(folder).map((name) => `${folder}/${name}`)),
  ];
  rmSync(outdir, { recursive: true, force: true });
  await build({
    entryPoints: entries.map((entry) => join(root, 'bench', entry)),
    outbase: join(root, 'bench'),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    logLevel: 'error',
  });
}

function fail(sentence) {
  console.error(`bench: ${sentence}.`);
  process.exit(2);
}

if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) fail('dependencies are not installed; run npm ci first');
build();
await bundle().catch(() => fail('the bench itself cannot be built; the lines above say why'));
const { status } = spawnSync(process.execPath, ['--enable-source-maps', join(outdir, 'main.mjs'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(status ?? 130);
