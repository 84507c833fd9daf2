import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { endProcess } from '../../activities/runtimes/local/process-identity.ts';
import { cloneRoot, readConfig } from '../../src/config.ts';
import { findTemporal } from '../../src/embedded/find-temporal.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startServer } from '../../src/embedded/start-server.ts';

/** What the tests in test/ share. */
export interface SharedTemporal {
  readonly address: string;
  /** The `temporal` binary, for tests that speak to the server as a person would. */
  readonly binary: string;
  /** Made before the start, because a new one takes seconds to be seen. */
  readonly namespaces: readonly string[];
  /** Folder in which namespaces are claimed. */
  readonly leases: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    temporal: SharedTemporal;
  }
}

/** One for every file of tests, and some for files that take several. */
const SPARE = 20;
const files = readdirSync(join(cloneRoot(), 'test'), { recursive: true }).filter((file) => String(file).endsWith('.test.ts'));
const NAMESPACES = Array.from({ length: files.length + SPARE }, (_, index) => `t${String(index + 1).padStart(2, '0')}`);

/** Builds dist/ if it is not fresh and starts one Temporal server on a random port for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  build();
  const config = readConfig();
  const say = (sentence: string): void => console.error(`set-up: ${sentence}`);
  const binary = await findTemporal({ path: process.env.PATH ?? '', cache: config.cache, say });
  const folder = mkdtempSync(join(tmpdir(), 'colony-test-'));
  const leases = join(folder, 'leases');
  mkdirSync(leases);
  const server = await startServer({
    binary,
    database: join(folder, 'temporal.db'),
    port: await freePort(),
    namespaces: NAMESPACES,
    log: join(folder, 'temporal.log'),
    synchronous: 0,
  });
  const kill = (): unknown => server.child.kill('SIGKILL');
  process.once('exit', kill);
  project.provide('temporal', { address: server.address, binary, namespaces: NAMESPACES, leases });
  return async () => {
    process.off('exit', kill);
    await endProcess(server.identity, 0);
    rmSync(folder, { recursive: true, force: true });
  };
}

function build(): void {
  const { status } = spawnSync(process.execPath, [join(cloneRoot(), 'scripts', 'build.mjs')], { stdio: 'inherit' });
  if (status === 0) return;
  if (process.env.CI) throw new Error('the build failed, so nothing in test/ can run');
  console.error('set-up: the build failed; what could not be built is tested as it was before');
}
