import { linkSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';

const TRIES = 5;
const PRIVATE = 0o177;

/**
 * Listens on a socket that only our own user can open.
 *
 * Guarantees: what a dead process left at the path is replaced; a door that somebody answers at is not.
 */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  for (let left = TRIES; ; left--) {
    const failed = await bind(server, path);
    if (!failed) return;
    if (failed.code !== 'EADDRINUSE' || left === 1) throw failed;
    await setAside(path);
  }
}

function bind(server: Server, path: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const failed = (error: Error): void => resolve(error);
    server.once('error', failed);
    // The socket is made within the call, with these rights from its first moment: there is no time in which others could come in.
    const before = process.umask(PRIVATE);
    try {
      server.listen(path, () => {
        server.removeListener('error', failed);
        resolve(undefined);
      });
    } finally {
      process.umask(before);
    }
  });
}

/** Asked again after it was moved, because a living one may have come between the question and the move. */
async function setAside(path: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  if (await isAnswered(path)) throw new DoorTaken(path);
  try {
    renameSync(path, aside);
  } catch {
    return; // somebody else was faster; look again
  }
  try {
    if (!(await isAnswered(aside))) return;
    linkSync(aside, path);
    throw new DoorTaken(path);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Another agent serves this node from this home. */
export class DoorTaken extends Error {
  override readonly name = 'DoorTaken';

  constructor(path: string) {
    super(`another agent of this node is running: it answers at ${path}`);
  }
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const answer = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', answer(true));
    // Refused: nobody listens. Anything else (no right, too busy) leaves a doubt, and what may be alive is left alone.
    socket.once('error', (error: NodeJS.ErrnoException) => answer(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT')());
  });
}
