// An esbuild plugin: some modules hold values that are the same in every run but dear to compute (the kinds' names need all their
// schemas). They are evaluated while building, and the bundle gets the answer as JSON. The sources and the tests see plain modules.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Replaces each module whose path matches by its exports. */
export function evaluated(filter) {
  return {
    name: 'evaluated',
    setup(build) {
      build.onLoad({ filter }, async ({ path }) => {
        const exports = await evaluate(build.esbuild, path);
        const lines = Object.entries(exports).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
        return { contents: lines.join('\n'), loader: 'js' };
      });
    },
  };
}

async function evaluate(esbuild, path) {
  const folder = mkdtempSync(join(tmpdir(), 'colony-evaluated-'));
  const outfile = join(folder, 'module.mjs');
  try {
    await esbuild.build({
      entryPoints: [path],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'error',
    });
    return { ...(await import(pathToFileURL(outfile).href)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
