import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atOnce, eventually, gently, LocalStage } from '../../../test/support/local/stage.ts';
import type { ExecSession, Seen } from '../runtime.ts';
import { identify } from './process-identity.ts';
import { processTable } from './process-table.ts';

let stage: LocalStage;
beforeEach(() => {
  stage = new LocalStage();
});
afterEach(() => stage.clear());

const isGone = (pid: number): true | undefined => (identify(pid) ? undefined : true);
const sessionOf = (pid: number): number | undefined => processTable().find((entry) => entry.pid === pid)?.session;

/** Starts it and says which process it told of, once that has a session of its own. */
async function startWithStray(script: string): Promise<{ readonly seen: Seen; readonly stray: number }> {
  const seen = await stage.start(stage.shell(script));
  return { seen, stray: await strayOf(seen) };
}

async function strayOf(seen: Seen): Promise<number> {
  const stray = Number(await stage.said(seen, /\d+\n/));
  await eventually(() => (sessionOf(stray) === stray ? true : undefined));
  return stray;
}

describe('a process in a session of its own', () => {
  it('is counted while it runs, and ends with its instance', async () => {
    const seen = await stage.start(stage.revision(['setsid', 'sh', '-c', 'echo $$; exec sleep 98765']));
    const stray = await strayOf(seen);
    expect(await stage.runtime.stats([seen.id])).toMatchObject([{ pids: 1 }]);
    await stage.runtime.remove(stage.owner.uid, seen.id, gently);
    expect(identify(stray)).toBeUndefined();
  });

  it('has the grace that its instance has', async () => {
    const daemon = 'trap "sleep 0.2; echo bye > ../../../bye; exit 0" TERM; echo $$; while :; do sleep 0.02; done';
    const { seen } = await startWithStray(`setsid sh -c '${daemon}' & exec sleep 100`);
    await stage.runtime.remove(stage.owner.uid, seen.id, gently);
    expect(readFileSync(join(stage.folder, 'bye'), 'utf8')).toBe('bye\n');
  });

  it('is killed after the grace when it does not listen', async () => {
    const { seen, stray } = await startWithStray(`setsid sh -c 'trap "" TERM; echo $$; while :; do sleep 0.02; done' & exec sleep 100`);
    await stage.runtime.remove(stage.owner.uid, seen.id, { signal: 'SIGTERM', graceSeconds: 0.2 });
    expect(identify(stray)).toBeUndefined();
  });

  it('is found by its log when it has no environment', async () => {
    const { seen, stray } = await startWithStray(`env -i setsid sh -c 'echo $$; exec sleep 100' & exec sleep 100`);
    await stage.runtime.remove(stage.owner.uid, seen.id, gently);
    expect(identify(stray)).toBeUndefined();
  });

  it.each([
    { what: 'the next start', act: () => stage.start(stage.shell(DAEMON)) },
    { what: 'a restart', act: ({ id }: Seen) => stage.runtime.restart(stage.owner.uid, id, gently) },
    { what: 'the removal', act: ({ id }: Seen) => stage.runtime.remove(stage.owner.uid, id, gently) },
    { what: 'a removal by another agent', act: ({ id }: Seen) => stage.agent().remove(stage.owner.uid, id, gently) },
  ])('outlives the command, whose end is that of the run, but not $what', async ({ act }) => {
    const { seen, stray } = await startWithStray(DAEMON);
    await stage.until(({ state }) => state === 'exited');
    expect(identify(stray)).toBeDefined();
    await act(seen);
    expect(identify(stray)).toBeUndefined();
  });

  it('is of the new run, however many agents start it at once', async () => {
    const revision = stage.revision(['setsid', 'sh', '-c', 'echo $$; exec sleep 100']);
    const seen = await stage.start(revision);
    process.kill(await strayOf(seen), 'SIGKILL');
    await stage.until(({ state }) => state === 'exited');
    const agents = Array.from({ length: 5 }, () => stage.agent());
    await Promise.all([...agents, ...agents].map((agent) => agent.ensure(stage.owner, revision, 0)));
    const stray = await strayOf(seen);
    expect(await stage.only()).toMatchObject({ state: 'running' });
    expect(identify(stray)).toBeDefined();
  });

  it('is left alone by what a remove left that was cut short, once somebody lives in its folder again', async () => {
    const seen = await stage.start(stage.revision(['setsid', 'sh', '-c', 'echo $$; exec sleep 100']));
    const stray = await strayOf(seen);
    mkdirSync(stage.path(seen, '..', '.gone-0-01234567-1'));
    const stopped = new AbortController();
    await stage.agent().watch(
      () => stopped.abort(),
      () => undefined,
      stopped.signal,
    );
    expect(identify(stray)).toBeDefined();
    expect((await stage.only()).state).toBe('running');
  });
});

describe('a stranger', () => {
  it.each([
    { who: 'with the name of the instance', mark: () => undefined },
    { who: 'of a folder that begins alike', mark: (home: string) => `${home}0:1` },
    { who: 'with more after the mark', mark: (home: string) => `${home}:1 ` },
    { who: 'of a folder above', mark: (home: string) => `${join(home, '..')}:1` },
  ])('$who is never touched', async ({ mark }) => {
    const seen = await stage.start(stage.shell('sleep 100'));
    const run = mark(stage.path(seen));
    const env = { PATH: process.env.PATH, COLONY_INSTANCE: seen.name, ...(run !== undefined && { COLONY_RUN: run }) };
    const stranger = spawn('sleep', ['100'], { detached: true, stdio: 'ignore', env });
    await stage.runtime.restart(stage.owner.uid, seen.id, atOnce);
    expect(await stage.runtime.stats([seen.id])).toMatchObject([{ pids: expect.toSatisfy((pids: number) => pids <= 2) }]);
    await stage.runtime.remove(stage.owner.uid, seen.id, atOnce);
    expect(identify(stranger.pid!)).toBeDefined();
    stranger.kill('SIGKILL');
  });
});

describe('what an exec started', () => {
  const textOf = async ({ output }: ExecSession): Promise<string> => {
    let text = '';
    for await (const { data } of output) text += Buffer.from(data);
    return text;
  };

  it('is not counted, stays when the command begins anew, and ends when the instance is removed', async () => {
    const revision = stage.shell('echo $$; exec sleep 100');
    const seen = await stage.start(revision);
    const command = ['sh', '-c', 'setsid sleep 98764 > /dev/null 2>&1 & echo $!'];
    const left = Number(await textOf(await stage.runtime.exec(seen.id, { command, tty: false, stdin: false })));
    expect(await stage.runtime.stats([seen.id])).toMatchObject([{ pids: 1 }]);
    process.kill(Number(await stage.said(seen, /\d+\n/)), 'SIGKILL');
    await stage.until(({ state }) => state === 'exited');
    await stage.start(revision);
    expect(identify(left)).toBeDefined();
    await stage.runtime.remove(stage.owner.uid, seen.id, gently);
    await eventually(() => isGone(left));
  });
});

/** Ends, and leaves a daemon behind. */
const DAEMON = `setsid sh -c 'echo $$; exec sleep 98765' & sleep 0.3; exit 1`;
