import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Suite } from './suite.ts';

/** Every file in bench/suites/ is a suite; scripts/bench.mjs has made a module of each. */
export async function findSuites(): Promise<readonly Suite[]> {
  const folder = new URL('./suites/', import.meta.url);
  const files = readdirSync(fileURLToPath(folder)).filter((name) => name.endsWith('.mjs'));
  const modules = await Promise.all(files.sort().map((file) => import(new URL(file, folder).href) as Promise<{ suite?: Suite }>));
  return modules.map(({ suite }, index) => {
    if (!suite) throw new Error(`bench/suites/${files[index]} exports no suite`);
    return suite;
  });
}
