import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endProcess, identify, isRunning } from './process-identity.ts';

const IGNORES_SIGTERM = "process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 1000)";

describe('process identity', () => {
  it('recognises this process and nobody with another start time', () => {
    const me = identify(process.pid);
    expect(me).toBeDefined();
    expect(isRunning(me!)).toBe(true);
    expect(isRunning({ pid: process.pid, started: 'yesterday' })).toBe(false);
  });

  it('ends a process that ignores SIGTERM, and only after the grace', async () => {
    const child = spawn(process.execPath, ['-e', IGNORES_SIGTERM], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    const identity = identify(child.pid!)!;
    const exit = once(child, 'exit');
    const before = Date.now();
    await endProcess(identity, 200);
    expect(Date.now() - before).toBeGreaterThanOrEqual(200);
    expect(await exit).toEqual([null, 'SIGKILL']);
    expect(isRunning(identity)).toBe(false);
  });

  it('never signals a stranger that has the pid now', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await endProcess({ pid: child.pid!, started: 'yesterday' }, 50);
    expect(identify(child.pid!)).toBeDefined();
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    expect(identify(child.pid!)).toBeUndefined();
  });
});
