import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessIdentity } from '../activities/runtimes/local/process-identity.ts';
import type { Config } from './config.ts';

/** What `colony up` leaves in COLONY_HOME/run.json: where things are, and which processes are its own. */
export interface Run {
  readonly address: string;
  readonly namespace: string;
  /** Address of the Temporal UI; absent with a Temporal that colony did not start. */
  readonly ui?: string;
  /** Kept after the end, so that the next run takes the same ports. */
  readonly pids: Readonly<Partial<Record<ProcessName, ProcessIdentity>>>;
}

export type ProcessName = 'up' | 'temporal' | 'worker' | 'node';

/** Where a client finds Temporal, and who said so. */
export interface Location {
  readonly address: string;
  readonly from: 'TEMPORAL_ADDRESS' | 'run.json' | 'default';
}

/** TEMPORAL_ADDRESS, else the address of the last `colony up` on this home, else localhost:7233. */
export function locateTemporal(config: Config): Location {
  if (config.address) return { address: config.address, from: 'TEMPORAL_ADDRESS' };
  const run = readRun(config.home);
  if (run) return { address: run.address, from: 'run.json' };
  return { address: 'localhost:7233', from: 'default' };
}

/** The last run on this home; undefined when there was none or its file cannot be read. */
export function readRun(home: string): Run | undefined {
  try {
    const run = JSON.parse(readFileSync(runFile(home), 'utf8')) as Run;
    return typeof run.address === 'string' && typeof run.pids === 'object' ? run : undefined;
  } catch {
    return undefined;
  }
}

/** Writes whole or not at all: a reader never sees half a file. */
export function writeRun(home: string, run: Run): void {
  mkdirSync(home, { recursive: true });
  const draft = `${runFile(home)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(run, null, 2)}\n`);
  renameSync(draft, runFile(home));
}

const runFile = (home: string): string => join(home, 'run.json');
