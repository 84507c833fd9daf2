import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { buildTemporal } from './build-temporal.ts';
import { downloadTemporal } from './download-temporal.ts';

/** The newest release that `go install` can build; its server is 1.29.1. */
export const TEMPORAL_VERSION = '1.5.1';

const OLDEST_SERVER = [1, 28] as const;

export interface Sources {
  /** A PATH as the shell has it. */
  readonly path: string;
  /** Folder for what was got; outside the clone. */
  readonly cache: string;
  /** Tells a person what takes time or went wrong, a sentence each. */
  readonly say: (sentence: string) => void;
  readonly download?: typeof downloadTemporal;
  readonly build?: typeof buildTemporal;
}

/** Temporal could be had from nowhere; the message says what was tried. */
export class TemporalNotFound extends Error {
  override readonly name = 'TemporalNotFound';
}

/** Path of a usable `temporal` binary: from PATH, from the cache, downloaded, or built with Go; in this order. */
export async function findTemporal({ path, cache, say, download = downloadTemporal, build = buildTemporal }: Sources): Promise<string> {
  for (const candidate of [...path.split(delimiter).filter(Boolean), cache].map((folder) => join(folder, nameIn(folder, cache)))) {
    if (!isExecutable(candidate)) continue;
    const fault = await faultOf(candidate);
    if (!fault) return candidate;
    say(`${candidate} is passed over: ${fault}.`);
  }
  const tried: string[] = [];
  for (const get of [download, build]) {
    mkdirSync(cache, { recursive: true });
    const draft = join(cache, `.${nameIn(cache, cache)}-${process.pid}`);
    try {
      await get(TEMPORAL_VERSION, draft, say);
      const target = join(cache, nameIn(cache, cache));
      renameSync(draft, target);
      return target;
    } catch (error) {
      tried.push((error as Error).message);
      say(`${(error as Error).message}.`);
    }
  }
  throw new TemporalNotFound(
    `Temporal was found neither on PATH nor in ${cache}, and could not be got: ${tried.join('; ')}. Install the temporal CLI, or set TEMPORAL_ADDRESS.`,
  );
}

const nameIn = (folder: string, cache: string): string => (folder === cache ? `temporal-${TEMPORAL_VERSION}` : 'temporal');

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Why the binary cannot be used; undefined when it can. */
function faultOf(file: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(file, ['--version'], { timeout: 10_000 }, (error, stdout) => {
      const [, major, minor] = /Server (\d+)\.(\d+)/.exec(stdout) ?? [];
      if (error || !major || !minor) return resolve('it does not tell its version');
      const isOld = Number(major) < OLDEST_SERVER[0] || (Number(major) === OLDEST_SERVER[0] && Number(minor) < OLDEST_SERVER[1]);
      resolve(isOld ? `its server ${major}.${minor} is older than ${OLDEST_SERVER.join('.')}` : undefined);
    });
  });
}
