import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from '../../activities/runtimes/local/process-identity.ts';
import { freePort } from './ports.ts';
import { type ServerOptions, startServer } from './start-server.ts';

const FOLDER = 'temporal';
const DRAFT = '.temporal-draft-';

/**
 * Path of the database file under a home, made if it is not there.
 *
 * Guarantees: the file has all its tables. The server makes them only when the file does not exist, so a kill during the very
 * first start would leave a file that can never be used; therefore a first server works on a draft, and the folder is
 * moved (database and its log in one) once that server answers.
 */
export async function ensureDatabase(binary: string, home: string, onSpawn?: ServerOptions['onSpawn']): Promise<string> {
  const folder = join(home, FOLDER);
  if (!existsSync(folder)) await create(binary, home, folder, onSpawn);
  return fileIn(folder);
}

const fileIn = (folder: string): string => join(folder, 'temporal.db');

async function create(binary: string, home: string, folder: string, onSpawn?: ServerOptions['onSpawn']): Promise<void> {
  mkdirSync(home, { recursive: true });
  for (const name of readdirSync(home).filter((name) => name.startsWith(DRAFT))) rmSync(join(home, name), { recursive: true, force: true });
  const draft = mkdtempSync(join(home, DRAFT));
  const port = await freePort();
  const server = await startServer({ binary, database: fileIn(draft), port, ...(onSpawn ? { onSpawn } : {}) });
  // No grace: what has been written is safe in the write-ahead log, and a polite end takes more than a second.
  await endProcess(server.identity, 0);
  renameSync(draft, folder);
}
