import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const PROGRESS_MS = 15_000;

/** Builds the binary with an installed Go and leaves it at `target`; about four minutes on two cores. */
export async function buildTemporal(version: string, target: string, say: (sentence: string) => void): Promise<void> {
  const bin = mkdtempSync(join(dirname(target), '.build-'));
  const began = Date.now();
  say(`Building Temporal ${version} with Go (about four minutes; once) …`);
  const progress = setInterval(() => say(`… still building Temporal, ${Math.round((Date.now() - began) / 1000)} s`), PROGRESS_MS);
  try {
    await goInstall(`${PACKAGE}@v${version}`, bin);
    renameSync(join(bin, 'temporal'), target);
  } finally {
    clearInterval(progress);
    rmSync(bin, { recursive: true, force: true });
  }
}

async function goInstall(what: string, bin: string): Promise<void> {
  const go = spawn('go', ['install', what], { env: { ...process.env, GOBIN: bin }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  go.stderr.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-2_000);
  });
  const [code] = await once(go, 'close').catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'ENOENT' ? 'Go is not installed, so Temporal cannot be built' : `Go cannot be started (${error.message})`,
    );
  });
  if (code !== 0) throw new Error(`Temporal cannot be built with Go (${said.trim().split('\n').at(-1)})`);
}
