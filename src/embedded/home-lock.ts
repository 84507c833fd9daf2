import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isRunning, type ProcessIdentity } from '../../activities/runtimes/local/process-identity.ts';

/** Either the home is ours until released, or another living process has it. */
export type HomeLock = { readonly release: () => void } | { readonly heldBy: ProcessIdentity };

/** Takes COLONY_HOME for this process. Guarantees: one holder at a time; the lock of a dead holder is taken over. */
export function takeHome(home: string): HomeLock {
  mkdirSync(home, { recursive: true });
  const path = join(home, 'up.lock');
  const me = identify(process.pid);
  for (;;) {
    if (place(path, JSON.stringify(me))) return { release: () => rmSync(path, { force: true }) };
    const holder = read(path);
    if (holder && isRunning(holder)) return { heldBy: holder };
    setAside(path, holder);
  }
}

/** A link appears with its content or not at all, and never replaces what is there. */
function place(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content);
  try {
    return isNew(() => linkSync(draft, path));
  } catch {
    // Not every file system has links. A file of its own never replaces another either, but is empty for a moment.
    return isNew(() => writeFileSync(path, content, { flag: 'wx' }));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** False when something is there already; whatever else is wrong would be wrong the next time too. */
function isNew(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function setAside(path: string, dead: ProcessIdentity | undefined): void {
  const aside = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, aside);
    // Between the look and the move a living holder may have come: it gets its lock back.
    if (read(aside)?.started !== dead?.started) place(path, readFileSync(aside, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // Somebody else was faster; look again.
  } finally {
    rmSync(aside, { force: true });
  }
}

function read(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
