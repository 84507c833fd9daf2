import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { readUnlessGone, statOf } from './linux-stat.ts';

/** One living process; zombies do not count. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Session on Linux; elsewhere the process group, as `ps` tells no sessions. */
  readonly session: number;
  readonly isStopped: boolean;
  readonly cpuSeconds: number;
}

const TICKS_PER_SECOND = 100;

/** Everybody who runs now. */
export function processTable(): readonly ProcessEntry[] {
  if (process.platform !== 'linux') return tableByPs();
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => entryOnLinux(Number(pid)) ?? []);
}

/** True while the process is stopped, as by SIGSTOP. */
export const isStopped = (pid: number): boolean => process.platform === 'linux' && entryOnLinux(pid)?.isStopped === true;

/** Those that the process began itself and that live; on Linux without a look at everybody, where the kernel tells. */
export function childrenOf(pid: number): readonly number[] {
  const told = process.platform === 'linux' ? (readUnlessGone(`/proc/${pid}/task/${pid}/children`).match(/\d+/g) ?? []) : [];
  if (told.length > 0) return told.map(Number);
  return processTable().flatMap((entry) => (entry.parent === pid ? [entry.pid] : []));
}

/** What the process was started with; undefined when it was not, and where that cannot be seen. */
export function variableOf(pid: number, name: string): string | undefined {
  const start = `${name}=`;
  const found = readUnlessGone(`/proc/${pid}/environ`)
    .split('\0')
    .find((entry) => entry.startsWith(start));
  return found?.slice(start.length);
}

export const commandLineOf = (pid: number): string =>
  process.platform === 'linux' ? readUnlessGone(`/proc/${pid}/cmdline`) : ps('command=', '-p', String(pid));

/** The file that the process has open under this number; undefined when it has none, and where that cannot be seen. */
export function openFileOf(pid: number, descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

/** Memory that the process holds now. */
export function residentBytes(pid: number): number {
  if (process.platform === 'linux') return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readUnlessGone(`/proc/${pid}/status`))?.[1] ?? 0);
  return 1024 * Number(ps('rss=', '-p', String(pid)));
}

function entryOnLinux(pid: number): ProcessEntry | undefined {
  const fields = statOf(pid);
  if (!fields) return undefined;
  const [state] = fields;
  return {
    pid,
    parent: Number(fields[1]),
    session: Number(fields[3]),
    // Not `t`: whoever is looked at by a debugger is not to be woken up.
    isStopped: state === 'T',
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
  };
}

function tableByPs(): readonly ProcessEntry[] {
  return ps('pid=,ppid=,pgid=,stat=,time=', '-A')
    .split('\n')
    .flatMap((line) => {
      const [pid, parent, group, state = 'Z', time = '0'] = line.trim().split(/\s+/);
      if (state.startsWith('Z')) return [];
      const isStopped = state.startsWith('T');
      return [{ pid: Number(pid), parent: Number(parent), session: Number(group), isStopped, cpuSeconds: secondsOf(time) }];
    });
}

/** Of `[days-][hours:]minutes:seconds`. */
const secondsOf = (time: string): number => {
  const [seconds = 0, minutes = 0, hours = 0, days = 0] = time.split(/[:-]/).reverse().map(Number);
  return seconds + 60 * (minutes + 60 * (hours + 24 * days));
};

function ps(columns: string, ...selection: readonly string[]): string {
  try {
    return execFileSync('ps', ['-o', columns, ...selection], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
