import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildTemporal } from './build-temporal.ts';

const realPath = process.env.PATH;
let folder: string;
let cache: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colony-go-'));
  cache = mkdtempSync(join(tmpdir(), 'colony-cache-'));
  process.env.PATH = folder;
});
afterEach(() => {
  process.env.PATH = realPath;
  for (const each of [folder, cache]) rmSync(each, { recursive: true });
});

function putGo(script: string): void {
  writeFileSync(join(folder, 'go'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'go'), 0o755);
}

const build = (): Promise<void> => buildTemporal('1.2.3', join(cache, 'temporal'), () => {});

describe('buildTemporal', () => {
  it('installs the named version and leaves nothing but the binary', async () => {
    putGo('echo "$@" > "$GOBIN/temporal"');
    await build();
    expect(readFileSync(join(cache, 'temporal'), 'utf8')).toBe('install github.com/temporalio/cli/cmd/temporal@v1.2.3\n');
    expect(readdirSync(cache)).toEqual(['temporal']);
  });

  it('fails in one sentence without Go', async () => {
    await expect(build()).rejects.toThrow(/^Go is not installed, so Temporal cannot be built$/);
    expect(readdirSync(cache)).toEqual([]);
  });

  it("fails with Go's last word", async () => {
    putGo('echo first >&2; echo "no such module" >&2; exit 1');
    await expect(build()).rejects.toThrow(/^Temporal cannot be built with Go \(no such module\)$/);
  });

  it('waits for the last word of whoever outlives Go', async () => {
    putGo('(/bin/sleep 0.2; echo "no such module" >&2) & exit 1');
    await expect(build()).rejects.toThrow(/\(no such module\)$/);
  });
});
