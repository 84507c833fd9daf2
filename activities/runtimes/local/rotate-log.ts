import { appendFileSync, existsSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { readPart, sizeOf } from './log-files.ts';

const underWay = new Set<string>();

/**
 * Cuts a log off once it is too long, and keeps what was cut: `files` files in all, of about `maxBytes` each.
 *
 * The writer appends and knows nothing of it; a rename would leave it writing to the old file.
 */
export async function rotateLog(path: string, maxBytes: number, files: number): Promise<void> {
  if (sizeOf(path) <= maxBytes || underWay.has(path)) return;
  underWay.add(path);
  try {
    const copy = `${path}.copy`;
    await copyFile(path, copy);
    makeRoom(path, files);
    const copied = sizeOf(copy);
    // What came during the copy; only what is said between this line and the cut is lost.
    appendFileSync(copy, readPart(path, copied, Number.MAX_SAFE_INTEGER));
    truncateSync(path);
    if (files > 1) renameSync(copy, `${path}.1`);
    else rmSync(copy);
  } finally {
    underWay.delete(path);
  }
}

function makeRoom(path: string, files: number): void {
  rmSync(`${path}.${files - 1}`, { force: true });
  for (let age = files - 2; age >= 1; age--) {
    if (existsSync(`${path}.${age}`)) renameSync(`${path}.${age}`, `${path}.${age + 1}`);
  }
}
