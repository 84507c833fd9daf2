import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

const ARCHIVES = 'https://temporal.download/cli/archive';
const FIRST_BYTE_MS = 8_000;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Gets the official archive and leaves the binary at `target`. Guarantees: without a network it fails within seconds, in one sentence. */
export async function downloadTemporal(version: string, target: string, say: (sentence: string) => void, from = ARCHIVES): Promise<void> {
  const arch = ARCHITECTURES[process.arch];
  if (!arch) throw new Error(`there is no download for ${process.platform} on ${process.arch}`);
  const url = `${from}/v${version}?platform=${process.platform}&arch=${arch}`;
  const body = await open(url);
  say(`Downloading Temporal ${version} (about 100 MB; once) …`);
  const folder = mkdtempSync(join(dirname(target), '.download-'));
  try {
    await unpack(body, folder);
    renameSync(join(folder, 'temporal'), target);
    chmodSync(target, 0o755);
  } catch (error) {
    throw new Error(`the download of Temporal broke off (${(error as Error).message})`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function open(url: string): Promise<ReadableStream> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error('no answer')), FIRST_BYTE_MS);
  try {
    const answer = await fetch(url, { signal: patience.signal });
    if (!answer.ok || !answer.body) throw new Error(`answer ${answer.status}`);
    return answer.body as ReadableStream;
  } catch (error) {
    const { cause, message } = error as Error;
    throw new Error(`Temporal cannot be downloaded from ${new URL(url).host} (${cause instanceof Error ? cause.message : message})`);
  } finally {
    clearTimeout(timer);
  }
}

async function unpack(archive: ReadableStream, folder: string): Promise<void> {
  const tar = spawn('tar', ['-xzf', '-', '-C', folder], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(tar, 'exit');
  await Promise.all([pipeline(Readable.fromWeb(archive), tar.stdin), ended]);
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar ended with ${code}`);
}
