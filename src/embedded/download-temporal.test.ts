import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downloadTemporal } from './download-temporal.ts';
import { freePort } from './ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'colony-download-'));
const quiet = (): void => {};
let origin: string;

const server = createServer((request, response) => {
  if (request.url?.startsWith('/good/v1.2.3?')) return response.end(archive());
  if (request.url?.startsWith('/garbage/')) return response.end('not an archive');
  response.writeHead(404).end();
});

function archive(): Buffer {
  const source = mkdtempSync(join(tmpdir(), 'colony-archive-'));
  writeFileSync(join(source, 'temporal'), 'the binary');
  const packed = execFileSync('tar', ['-czf', '-', '-C', source, 'temporal']);
  rmSync(source, { recursive: true });
  return packed;
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

describe('downloadTemporal', () => {
  it('leaves an executable at the target and nothing else', async () => {
    await downloadTemporal('1.2.3', join(folder, 'temporal-1.2.3'), quiet, `${origin}/good`);
    expect(readFileSync(join(folder, 'temporal-1.2.3'), 'utf8')).toBe('the binary');
    expect(statSync(join(folder, 'temporal-1.2.3')).mode & 0o111).toBe(0o111);
    expect(readdirSync(folder)).toEqual(['temporal-1.2.3']);
  });

  it.each(['garbage', 'missing'])('fails in one sentence on %s', async (path) => {
    const error = await downloadTemporal('1.2.3', join(folder, 'other'), quiet, `${origin}/${path}`).catch((e: unknown) => e);
    expect((error as Error).message).toMatch(/^[^\n]+\)$/);
  });

  it('fails within a second when nobody listens, and names the host', async () => {
    const port = await freePort();
    const began = Date.now();
    await expect(downloadTemporal('1.2.3', join(folder, 'other'), quiet, `http://127.0.0.1:${port}`)).rejects.toThrow(`127.0.0.1:${port}`);
    expect(Date.now() - began).toBeLessThan(1_000);
  });
});
