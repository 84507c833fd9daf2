import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { cloneRoot } from '../config.ts';
import type { Executor } from './index.ts';

const CODE = /\.[cm]?[jt]sx?$/;

/** The file is not there, does not compile, or does not export an executor; the message says which. */
export class ExecutorFileError extends Error {
  override readonly name = 'ExecutorFileError';
}

/** Reads the executor that a TypeScript or JavaScript file exports by default. */
export async function loadExecutor(file: string): Promise<Executor> {
  const path = resolve(file);
  const unfit = unfitOf(path);
  if (unfit) throw new ExecutorFileError(`${file} ${unfit}`);
  const url = pathToFileURL(await compiled(path)).href;
  const module = (await import(url).catch((error: Error) => {
    throw new ExecutorFileError(`${file} cannot be loaded: ${error.message}`, { cause: error });
  })) as { readonly default?: unknown };
  const fault = faultOf(module.default);
  if (fault) throw new ExecutorFileError(`${file} ${fault}`);
  return module.default as Executor;
}

/** Said before a compiler is asked, which would say it in its own words. */
function unfitOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 'does not exist';
  if (!found.isFile()) return 'is not a file';
  return CODE.test(path) ? undefined : 'is neither TypeScript nor JavaScript: its name must end in .ts, .mts, .cts, .js, .mjs or .cjs';
}

/** Bundles into dist/run/, from where `colony/executor` is found; named by content, so that processes do not disturb each other. */
async function compiled(path: string): Promise<string> {
  const code = await bundle(path);
  const folder = join(cloneRoot(), 'dist', 'run');
  const hash = createHash('sha256').update(path).update(code).digest('hex').slice(0, 16);
  const target = join(folder, `${basename(path, extname(path))}-${hash}.mjs`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${target}.${process.pid}`, code);
  renameSync(`${target}.${process.pid}`, target);
  return target;
}

async function bundle(path: string): Promise<string> {
  const esbuild = await import('esbuild');
  try {
    const { outputFiles } = await esbuild.build({
      entryPoints: [path],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      logLevel: 'silent',
      plugins: [packagesStayOutside],
    });
    return outputFiles[0]?.text ?? '';
  } catch (error) {
    const [first] = (error as { errors?: readonly { text: string; location?: { line: number } | null }[] }).errors ?? [];
    throw new ExecutorFileError(
      first ? `${path}${first.location ? ` line ${first.location.line}` : ''}: ${first.text}` : (error as Error).message,
    );
  } finally {
    await esbuild.stop();
  }
}

const OURS = /^(colony|colony\/.*|@temporalio\/.*)$/;
const INSIDE = Symbol('asked by ourselves');

/** Packages are found where the file would find them; colony and the Temporal SDK are colony's own, because there may be only one. */
const packagesStayOutside: Plugin = {
  name: 'packages-stay-outside',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, kind, ...where }) => {
      if (pluginData === INSIDE || kind === 'entry-point') return undefined;
      if (path.startsWith('node:') || OURS.test(path)) return { path, external: true };
      const found = await build.resolve(path, { ...where, kind, pluginData: INSIDE });
      if (found.errors.length > 0 || found.external) return { path, external: true };
      return CODE.test(found.path) && found.path.includes('node_modules')
        ? { path: pathToFileURL(found.path).href, external: true }
        : found;
    });
  },
};

function faultOf(executor: unknown): string | undefined {
  if (typeof executor !== 'object' || executor === null) return 'has no default export; write `export default defineExecutor({ … })`';
  const { executorType, functions = {}, steps = {} } = executor as Partial<Executor>;
  if (typeof executorType !== 'string' || executorType === '')
    return 'exports an executor without executorType, the name of its task queue';
  const handlers = [...Object.entries(functions), ...Object.entries(steps)];
  if (handlers.length === 0) return 'exports an executor without functions and steps';
  const twice = Object.keys(steps).find((name) => name in functions);
  if (twice !== undefined) return `exports an executor that has ${twice} both as a function and as a step`;
  const [wrong] = handlers.find(([, handler]) => typeof handler !== 'function') ?? [];
  return wrong === undefined ? undefined : `exports an executor whose function ${wrong} is none`;
}
