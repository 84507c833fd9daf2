import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endProcess, isRunning, type ProcessIdentity } from '../../activities/runtimes/local/process-identity.ts';
import { Supervisor } from './supervise.ts';

const run = (code: string) => (): ChildProcess => spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
const LIVES = 'setInterval(() => {}, 1000)';

let supervisor: Supervisor;
let started: ProcessIdentity[];
let ends: { reason: string; wait: number }[];

beforeEach(() => {
  started = [];
  ends = [];
});
afterEach(async () => {
  supervisor.cease();
  for (const identity of started) await endProcess(identity, 0);
});

async function supervise(start: () => ChildProcess): Promise<void> {
  supervisor = new Supervisor({
    start,
    onChange: (identity) => identity && started.push(identity),
    onEnd: (reason, wait) => ends.push({ reason, wait }),
  });
  await supervisor.start();
}

describe('Supervisor', () => {
  it('starts a killed child again', async () => {
    await supervise(run(LIVES));
    process.kill(started[0]!.pid, 'SIGKILL');
    await expect.poll(() => started.length, { timeout: 15_000 }).toBe(2);
    expect(ends).toEqual([{ reason: 'killed by SIGKILL', wait: 200 }]);
    expect(isRunning(started[1]!)).toBe(true);
  });

  it('waits longer each time while the child keeps dying', async () => {
    await supervise(run('process.exit(3)'));
    await expect.poll(() => ends.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
    expect(ends.slice(0, 3).map(({ wait }) => wait)).toEqual([200, 400, 800]);
    expect(ends[0]!.reason).toBe('exit code 3');
  });

  it('goes on when a later start fails', async () => {
    let starts = 0;
    await supervise(() => {
      starts += 1;
      if (starts === 2) throw new Error('no luck');
      return run(starts === 1 ? 'process.exit(0)' : LIVES)();
    });
    await expect.poll(() => started.length, { timeout: 15_000 }).toBe(2);
    expect(ends.map(({ reason }) => reason)).toEqual(['exit code 0', 'no luck']);
  });

  it('starts nothing after it has ceased, also during a pause', async () => {
    await supervise(run('process.exit(3)'));
    await expect.poll(() => ends.length, { timeout: 15_000 }).toBe(1);
    supervisor.cease();
    await new Promise((wake) => setTimeout(wake, 500));
    expect(started.length).toBe(1);
  });
});
