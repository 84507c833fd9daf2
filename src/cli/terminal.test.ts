import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tty-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hasScript = spawnSync('script', ['--version']).status === 0;

/** Runs code on a terminal of its own and answers with `stty -a` before and after it. */
function onTerminal(code: string): { readonly before: string; readonly after: string; readonly said: string } {
  const bundle = join(folder, 'keyboard.mjs');
  const esbuild = resolve('node_modules/.bin/esbuild');
  execFileSync(esbuild, [resolve('src/cli/terminal.ts'), '--format=esm', `--outfile=${bundle}`], { stdio: 'ignore' });
  writeFileSync(
    join(folder, 'main.mjs'),
    `import { processKeyboard } from './keyboard.mjs';\nconst keyboard = processKeyboard();\n${code}`,
  );
  const inside = `stty -a > before; ${process.execPath} main.mjs; stty -a > after`;
  const said = execFileSync('script', ['-qec', inside, '/dev/null'], { cwd: folder, encoding: 'utf8', timeout: 10_000 });
  const read = (name: string): string => execFileSync('cat', [name], { cwd: folder, encoding: 'utf8' });
  return { before: read('before'), after: read('after'), said };
}

it.runIf(hasScript).each([
  ['it is restored', 'const restore = keyboard.raw(); console.log(`raw ${process.stdin.isRaw}`); restore();'],
  ['the process just ends', 'keyboard.raw(); console.log(`raw ${process.stdin.isRaw}`); process.exit(3);'],
  ['something is thrown', "keyboard.raw(); console.log(`raw ${process.stdin.isRaw}`); setTimeout(() => { throw new Error('x'); }, 10);"],
])('a raw terminal is as it was after %s', (_, code) => {
  const { before, after, said } = onTerminal(code);
  expect(said).toContain('raw true');
  expect(after).toBe(before);
});
