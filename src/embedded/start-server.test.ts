import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from './ports.ts';
import { startServer } from './start-server.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colony-server-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A `temporal` that is never healthy, and whose server does what the script says. */
async function start(script: string, log = join(folder, 'log')) {
  const binary = join(folder, 'temporal');
  writeFileSync(binary, `#!/bin/sh\n[ "$1" = server ] || exit 1\n${script}\n`, { mode: 0o755 });
  return startServer({ binary, database: join(folder, 'db'), port: await freePort(), log });
}

describe('a server that ends at once', () => {
  it('is said to have, with the last reason that it gave itself', async () => {
    const words = String.raw`level=ERROR msg="not this"\ntime=1 level=ERROR msg="the file \"x\" is broken"\n`;
    await expect(start(`printf '%s' '${words.replaceAll(String.raw`\n`, '\n')}'; exit 1`)).rejects.toThrow(
      'Temporal ended at once (the file "x" is broken)',
    );
  });

  it('is said to have, with its exit code when it gave no reason', async () => {
    writeFileSync(join(folder, 'log'), 'level=ERROR msg="of its last life"\n');
    await expect(start('echo hello; exit 3')).rejects.toThrow('Temporal ended at once (exit code 3)');
  });

  it('is tried again, because its ports may have been taken meanwhile', async () => {
    await expect(
      start(`echo x >> ${join(folder, 'starts')}; [ $(wc -l < ${join(folder, 'starts')}) -lt 3 ] && exit 1; exit 7`),
    ).rejects.toThrow('exit code 7');
  });
});
