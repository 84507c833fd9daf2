import { linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';
import { readIfThere } from './read-if-there.ts';
import { isAlive, isPaused, type Session } from './session.ts';

/** One life of an instance, from a start to its end. */
export interface Run {
  readonly number: number;
  /** `claimed`: somebody is about to start it, in this very moment. */
  readonly state: 'claimed' | 'running' | 'paused' | 'ended';
  /** Leads the session of the run; absent when nobody got that far. */
  readonly leader?: ProcessIdentity;
  readonly startedAt?: Date;
  readonly end?: RunEnd;
}

export interface RunEnd {
  readonly code: number;
  readonly at: Date;
}

/** What the command gets that is ended by SIGKILL; also noted for one whose end nobody saw. */
const KILLED = 137;
/** Writing a claim takes microseconds; one that is empty for longer belongs to somebody who was killed over it. */
const CLAIM_TAKES_MS = 2_000;

/** Numbers of the runs that are still known, oldest first. */
export function runNumbers(place: Place): readonly number[] {
  const names = readIfThere(() => readdirSync(place.runs)) ?? [];
  const numbers = names.flatMap((name) => /^(\d+)\.(?:claim|exit)$/.exec(name)?.[1] ?? []).map(Number);
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** The run of the last start; undefined before the first. */
export function lastRun(place: Place): Run | undefined {
  const number = runNumbers(place).at(-1);
  return number === undefined ? undefined : readRun(place, number);
}

/**
 * How a run is doing. One whose shim was killed goes on as long as anybody of its session does; then it has ended as if killed.
 *
 * Guarantees: an end is never taken back, and says the same code and time to everybody from the first look on.
 */
export function readRun(place: Place, number: number): Run {
  const path = join(place.runs, String(number));
  const claim = readClaim(path);
  const ended = (end: RunEnd): Run => ({ number, ...claim, state: 'ended', end });
  const end = readEnd(path);
  if (end) return ended(end);
  if (!claim?.leader) {
    const isFresh = claim !== undefined && Date.now() - claim.startedAt.getTime() < CLAIM_TAKES_MS;
    return isFresh ? { number, state: 'claimed' } : ended(settle(path));
  }
  const { leader } = claim;
  const session = { place, run: number, leader };
  if (isRunning(leader)) return { number, ...claim, state: isPaused(session) ? 'paused' : 'running' };
  if (isAlive(session)) return { number, ...claim, state: 'running' };
  // The shim writes the end before it goes, so whoever finds it gone looks once more.
  return ended(readEnd(path) ?? settle(path));
}

/** Undefined for a run that nobody leads. */
export const sessionOf = (place: Place, run: Run | undefined): Session | undefined =>
  run?.leader && { place, run: run.number, leader: run.leader };

/** Forgets a run: its notes and its logs. */
export function forgetRun(place: Place, number: number): void {
  for (const folder of [place.logs, place.runs]) {
    const names = readIfThere(() => readdirSync(folder)) ?? [];
    for (const name of names) if (name.startsWith(`${number}.`)) rmSync(join(folder, name), { force: true });
  }
}

/** Notes the end that nobody else will note. */
function settle(path: string): RunEnd {
  const draft = `${path}.draft-${process.pid}`;
  writeFileSync(draft, `${KILLED}\n`);
  try {
    linkSync(draft, `${path}.exit`);
  } catch {
    // Somebody was quicker, or was killed over it and left nothing readable.
    if (!readEnd(path)) renameSync(draft, `${path}.exit`);
  }
  rmSync(draft, { force: true });
  return readEnd(path) ?? { code: KILLED, at: new Date() };
}

function readClaim(path: string): { readonly startedAt: Date; readonly leader?: ProcessIdentity } | undefined {
  const note = readNote(`${path}.claim`);
  if (!note) return undefined;
  const [, pid, started] = /^(\d+) (.+)\n$/.exec(note.text) ?? [];
  const isWhole = started !== undefined && Number(pid) > 1;
  return { startedAt: note.at, ...(isWhole && { leader: { pid: Number(pid), started: started.trim() } }) };
}

function readEnd(path: string): RunEnd | undefined {
  const note = readNote(`${path}.exit`);
  return note && /^\d+\n$/.test(note.text) ? { code: Number(note.text), at: note.at } : undefined;
}

const readNote = (path: string): { readonly text: string; readonly at: Date } | undefined =>
  readIfThere(() => ({ text: readFileSync(path, 'utf8'), at: statSync(path).mtime }));
