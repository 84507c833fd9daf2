import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretStore } from './secret-store.ts';

/** What one file holds; its name says nothing. */
interface Kept {
  readonly resource: string;
  readonly key: string;
  readonly value: string;
}

const FILE = /^[0-9a-f]{64}$/;

/**
 * Keeps secrets as files that only the user of this process can read: one folder for each resource, one file for each key.
 *
 * Guarantees: whoever reads finds a whole value, the earlier or the later one, also when a writer is killed. Several processes of one
 * machine may share a folder.
 */
export class FileStore implements SecretStore {
  /** @param root absolute; made when the first secret comes. */
  constructor(private readonly root: string) {}

  async get(resource: string, key: string): Promise<string | undefined> {
    const kept = await read(this.file(resource, key));
    return kept?.resource === resource && kept.key === key ? kept.value : undefined;
  }

  async put(resource: string, key: string, value: string): Promise<void> {
    await mkdir(this.folder(resource), { recursive: true, mode: 0o700 });
    const draft = join(this.folder(resource), `.draft-${randomBytes(8).toString('hex')}`);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(JSON.stringify({ resource, key, value } satisfies Kept));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.file(resource, key));
    } finally {
      await rm(draft, { force: true });
    }
  }

  async keys(resource: string): Promise<readonly string[]> {
    const names = await ifThere(readdir(this.folder(resource)));
    const kept = await Promise.all((names ?? []).filter((name) => FILE.test(name)).map((name) => read(join(this.folder(resource), name))));
    return kept.flatMap((one) => (one?.resource === resource ? [one.key] : [])).sort();
  }

  async remove(resource: string): Promise<void> {
    await rm(this.folder(resource), { recursive: true, force: true });
  }

  private folder(resource: string): string {
    return join(this.root, hash(resource));
  }

  private file(resource: string, key: string): string {
    return join(this.folder(resource), hash(key));
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Undefined when there is none. What is there and cannot be understood is no secret either. */
async function read(path: string): Promise<Kept | undefined> {
  const text = await ifThere(readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Kept;
  } catch {
    return undefined;
  }
}

async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
