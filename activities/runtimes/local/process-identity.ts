import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { statOf } from './linux-stat.ts';

/** A process that can be recognised again: a pid alone may have gone to a stranger since. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal for two looks at one process, different for a later process of the same pid. */
  readonly started: string;
}

/** Who has this pid now; undefined when nobody (a zombie counts as nobody). */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** True while that very process runs. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  const now = identify(pid);
  return now !== undefined && now.started === started;
}

/** Ends a process by SIGTERM, by SIGKILL after the grace. Guarantees: signals nobody but that very process. */
export async function endProcess(target: ProcessIdentity, graceMs: number): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGTERM', graceMs],
    // Whoever waits for a disk ends only when that has answered.
    ['SIGKILL', 10_000],
  ] as const) {
    if (!isRunning(target)) return;
    signalTo(target.pid, signal);
    const until = Date.now() + waitMs;
    while (isRunning(target) && Date.now() < until) await new Promise((wake) => setTimeout(wake, 20));
  }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
}

let boot: string | undefined;

function startedOnLinux(pid: number): string | undefined {
  const fields = statOf(pid);
  if (!fields) return undefined;
  // Ticks since boot repeat after a reboot, so the boot is part of the answer.
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot}/${fields[19]}`;
}

function startedByPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}
