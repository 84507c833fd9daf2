import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeColony } from '../test-double/colony.ts';
import { colonyCli } from '../test-double/run.ts';

let folder: string;

/** A `temporal` that writes down how it was called, and ends with 3. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colony-temporal-'));
  const script = [
    '#!/bin/sh',
    'if [ "$1" = --version ]; then echo "temporal version 1.5.1 (Server 1.29.1)"; exit; fi',
    `printf '%s\\n' "$TEMPORAL_ADDRESS" "$TEMPORAL_NAMESPACE" "$@" > "${join(folder, 'called')}"`,
    'exit 3',
  ].join('\n');
  writeFileSync(join(folder, 'temporal'), script);
  chmodSync(join(folder, 'temporal'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  vi.stubEnv('TEMPORAL_ADDRESS', 'somewhere:7233');
  vi.stubEnv('TEMPORAL_NAMESPACE', 'mine');
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const temporal = async (...argv: string[]) => {
  const { code } = await colonyCli(new FakeColony(), argv);
  return { code, called: readFileSync(join(folder, 'called'), 'utf8').trimEnd().split('\n') };
};

describe('colony temporal', () => {
  it("hands on all its words, also those that are colony's own options elsewhere, and ends as it does", async () => {
    const words = ['workflow', 'list', '-n', 'other', '-o', 'json', '--address', 'there:1', '-v', '--', '--help', '-h'];
    expect(await temporal('temporal', ...words)).toEqual({ code: 3, called: ['somewhere:7233', 'mine', ...words] });
  });

  it('is told the server by options that stand before it', async () => {
    expect(await temporal('--address', 'there:1', '--temporal-namespace=other', 'temporal', 'workflow', 'list', '-o', 'json')).toEqual({
      code: 3,
      called: ['there:1', 'other', 'workflow', 'list', '-o', 'json'],
    });
  });
});
