import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The system cuts, or refuses, names of sockets above 103 bytes (macOS) or 107 (Linux); a dead one gets a suffix while it is put aside. */
const MAX_PATH_BYTES = 96;

/**
 * Where the door of a node's agent shall be: `<home>/node-<node>.sock`. When that name is too long for a socket, a folder of
 * our own under the system's temporary one, which a small file in the home names.
 */
export function placeNodeDoor(home: string, node: string): string {
  mkdirSync(home, { recursive: true });
  const plain = plainPath(home, node);
  if (Buffer.byteLength(plain) <= MAX_PATH_BYTES) {
    rmSync(pointerPath(home, node), { force: true });
    return plain;
  }
  const path = join(ownFolder(home, node), 'node.sock');
  const draft = `${pointerPath(home, node)}.${process.pid}`;
  writeFileSync(draft, `${path}\n`, { mode: 0o600 });
  renameSync(draft, pointerPath(home, node));
  return path;
}

/** Where the door of a node's agent is, if there is one. */
export function findNodeDoor(home: string, node: string): string {
  try {
    return readFileSync(pointerPath(home, node), 'utf8').trim() || plainPath(home, node);
  } catch {
    return plainPath(home, node);
  }
}

const plainPath = (home: string, node: string): string => join(home, `node-${node}.sock`);
const pointerPath = (home: string, node: string): string => join(home, `node-${node}.door`);

/** Others may write into the temporary folder: what is there under our name must be ours, and closed to them. */
function ownFolder(home: string, node: string): string {
  const hash = createHash('sha256').update(`${home}\0${node}`).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `colony-${hash}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !isOurs || (found.mode & 0o077) !== 0)
    throw new Error(`${folder} is not a folder of our own that is closed to others; remove it, or set COLONY_HOME to a shorter path`);
  return folder;
}
