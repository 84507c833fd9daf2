import { relative } from 'node:path';
import type { ProcessIdentity } from '../../activities/runtimes/local/process-identity.ts';
import type { Config } from '../config.ts';
import { readRun } from '../run-file.ts';
import { ensureDatabase } from './dev-database.ts';
import { findTemporal } from './find-temporal.ts';
import type { Logs } from './logs.ts';
import { choosePort } from './ports.ts';
import { type RunningServer, startServer } from './start-server.ts';

const USUAL_PORT = 7233;
const USUAL_UI_PORT = 8233;

export interface EmbeddedTemporal {
  readonly address: string;
  readonly ui: string;
  readonly database: string;
  /** Starts the server on that address; again after it died. */
  readonly start: () => Promise<RunningServer>;
}

export interface EmbeddedOptions {
  readonly config: Config;
  readonly logs: Logs;
  readonly say: (sentence: string) => void;
  readonly onSpawn: (identity: ProcessIdentity) => void;
}

/** Finds the binary, the database and the ports: those of the last run, if they are free, so that its clients go on. */
export async function prepareTemporal({ config, logs, say, onSpawn }: EmbeddedOptions): Promise<EmbeddedTemporal> {
  const { home } = config;
  const binary = await findTemporal({ path: process.env.PATH ?? '', cache: config.cache, say });
  const last = readRun(home);
  const port = await pick('Temporal', config.temporalPort ?? portOf(last?.address) ?? USUAL_PORT, say);
  const uiPort = await pick('the Temporal UI', config.uiPort ?? portOf(last?.ui) ?? USUAL_UI_PORT, say);
  const database = await ensureDatabase(binary, home, onSpawn);
  const namespaces = [config.temporalNamespace];
  return {
    address: `127.0.0.1:${port}`,
    ui: `http://127.0.0.1:${uiPort}`,
    database: relative(process.cwd(), database),
    start: () => startServer({ binary, database, port, uiPort, namespaces, log: logs.path('temporal'), onSpawn }),
  };
}

async function pick(who: string, wish: number, say: (sentence: string) => void): Promise<number> {
  const port = await choosePort([wish]);
  if (port !== wish) say(`Port ${wish} is taken, so ${who} listens on ${port}.`);
  return port;
}

function portOf(address: string | undefined): number | undefined {
  const port = Number(/^(?:http:\/\/)?127\.0\.0\.1:(\d+)$/.exec(address ?? '')?.[1]);
  return Number.isInteger(port) ? port : undefined;
}
