import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Perform } from './work.ts';

/** Work that only takes time. */
export const takeTime =
  (ms: number): Perform =>
  (_, signal) =>
    wait(ms, undefined, { signal });

/** Runs a shell command for each job, with JOB, ATTEMPT and REQUEST_UID in its environment; any exit code but 0 is a failure. */
export function runCommand(command: string): Perform {
  return async ({ job, attempt, requestUid }, signal) => {
    const env = { ...process.env, JOB: job, ATTEMPT: String(attempt), REQUEST_UID: requestUid };
    const child = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    const end = (): void => endGroup(child.pid);
    signal.addEventListener('abort', end, { once: true });
    try {
      if (signal.aborted) end();
      const [code, by] = await once(child, 'exit');
      if (code !== 0) throw new Error(`the command ended with ${by ?? `exit code ${code}`}`);
    } finally {
      signal.removeEventListener('abort', end);
    }
  };
}

/** The shell and all it started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended already.
  }
}
