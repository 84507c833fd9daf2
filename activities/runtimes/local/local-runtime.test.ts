import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atOnce, eventually, gently, LocalStage } from '../../../test/support/local/stage.ts';
import { identify } from './process-identity.ts';
import { commandLineOf, isStopped } from './process-table.ts';

let stage: LocalStage;
beforeEach(() => {
  stage = new LocalStage();
});
afterEach(() => stage.clear());

const isGone = (pid: number): true | undefined => (identify(pid) ? undefined : true);

describe('starting', () => {
  it('runs the command and says what it is', async () => {
    const seen = await stage.start(stage.shell('sleep 100'));
    expect(seen).toMatchObject({ slot: 0, digest: '0123456789abcdef', generation: 1, state: 'running', ready: true, owner: stage.owner });
    expect(seen.name).toMatch(/^web-[0-9a-f]{10}-0-01234567$/);
    expect(Date.now() - Date.parse(seen.startedAt!)).toBeLessThan(5_000);
    expect(seen.exit).toBeUndefined();
    expect(await stage.runtime.list()).toEqual([seen]);
  });

  it('leaves alone what runs, also for an agent that just started', async () => {
    const revision = stage.shell('sleep 100');
    const before = await stage.start(revision);
    await stage.agent().ensure(stage.owner, revision, 0);
    expect(await stage.agent().list(stage.owner.uid)).toEqual([before]);
  });

  it('starts one process, however many agents try at once', async () => {
    const revision = stage.shell('echo began; sleep 100');
    const agents = Array.from({ length: 5 }, () => stage.agent());
    await Promise.all([...agents, ...agents].map((agent) => agent.ensure(stage.owner, revision, 0)));
    const seen = await stage.only();
    await stage.said(seen, /began/);
    expect(await stage.text(seen)).toBe('began\n');
    expect((await stage.runtime.stats([seen.id]))[0]?.pids).toBeLessThanOrEqual(2);
  });

  it('leads a session and a group of its own', async () => {
    const seen = await stage.start(stage.shell('sleep 100'));
    const pid = stage.leader(seen);
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    expect(fields.slice(2, 4)).toEqual([String(pid), String(pid)]);
  });

  it('gives a command that ended another life under the same id', async () => {
    const revision = stage.shell('exit 3');
    const { id } = await stage.start(revision);
    await stage.until(({ state }) => state === 'exited');
    await stage.start(revision);
    await eventually(async () => ((await stage.only()).exit ? true : undefined));
    expect((await stage.only()).id).toBe(id);
    expect(readdirSync(stage.path(await stage.only(), 'runs'))).toContain('2.claim');
  });

  it('gives processes what the template says and nothing of the agent but four variables', async () => {
    process.env.COLONY_TEST_SECRET = 'secret';
    const seen = await stage.start(stage.shell('env; echo dir=$PWD; echo done', { env: { A: 'b c' } }));
    delete process.env.COLONY_TEST_SECRET;
    await stage.said(seen, /done/);
    const text = await stage.text(seen);
    const names = text.split('\n').flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? []);
    const known = [
      'PATH',
      'HOME',
      'LANG',
      'TMPDIR',
      'A',
      'COLONY_INSTANCE',
      'COLONY_RUN',
      'COLONY_SLOT',
      'COLONY_RESOURCE',
      'PWD',
      'OLDPWD',
    ];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(text).toContain('A=b c\n');
    expect(text).toContain(`COLONY_INSTANCE=${seen.name}\n`);
    expect(text).toContain(`dir=${stage.path(seen, 'work')}\n`);
  });

  it('runs what is named like a builtin of the shell as a program', async () => {
    const seen = await stage.start(stage.revision(['env', 'echo', '$HOME', "it's"]));
    await stage.until(({ state }) => state === 'exited');
    expect(await stage.text(seen)).toBe("$HOME it's\n");
  });

  it.each([
    { name: 'no command', revision: () => stage.revision([]), reason: 'Blocked' },
    {
      name: 'a mount',
      revision: () => stage.revision(['true'], { mounts: [{ type: 'path', source: '/', target: '/x', readOnly: true }] }),
      reason: 'Blocked',
    },
    { name: 'a user', revision: () => stage.revision(['true'], { user: '1' }), reason: 'Blocked' },
    { name: 'a variable that shells drop', revision: () => stage.revision(['true'], { env: { 'a.b': '1' } }), reason: 'Blocked' },
    { name: 'an unknown command', revision: () => stage.revision(['no-such-command']), reason: 'CommandNotFound' },
    { name: 'an unknown folder', revision: () => stage.revision(['true'], { workingDir: '/no/such/folder' }), reason: 'StartFailed' },
  ])('refuses $name', async ({ revision, reason }) => {
    await expect(stage.runtime.ensure(stage.owner, revision(), 0)).rejects.toMatchObject({ name: 'Problem', reason });
  });

  it('is refused where the node does not allow it, and so is nothing else', async () => {
    const seen = await stage.start(stage.shell('sleep 100'));
    const strict = stage.agent({ allowLocal: false });
    await expect(strict.ensure(stage.owner, stage.shell('true'), 1)).rejects.toMatchObject({ reason: 'RuntimeUnavailable' });
    await strict.remove(stage.owner.uid, seen.id, atOnce);
    expect(await strict.list(stage.owner.uid)).toEqual([]);
  });
});

describe('ends', () => {
  it('are known although nobody watched', async () => {
    const seen = await stage.start(stage.shell('echo broken >&2; exit 7'));
    await eventually(() => (existsSync(stage.path(seen, 'runs', '1.exit')) ? true : undefined));
    await eventually(() => isGone(stage.leader(seen)));
    const [later] = await stage.agent().list(stage.owner.uid);
    expect(later).toMatchObject({ state: 'exited', ready: false, exit: { code: 7, log: 'broken' } });
    expect(later?.exit).not.toHaveProperty('signal');
  });

  it('say no last words when clean', async () => {
    await stage.start(stage.shell('echo fine'));
    const { exit } = await stage.until(({ state }) => state === 'exited');
    expect(exit).toEqual({ code: 0, at: expect.any(String) });
  });

  it('of a killed command name the signal', async () => {
    const seen = await stage.start(stage.shell('echo $$; exec sleep 100'));
    process.kill(Number(await stage.said(seen, /\d+\n/)), 'SIGKILL');
    expect((await stage.until(({ state }) => state === 'exited')).exit).toMatchObject({ code: 137, signal: 'SIGKILL' });
  });

  it('of a killed shim come when its last process ends, and then stay the same', async () => {
    const seen = await stage.start(stage.shell('echo $$; exec sleep 100'));
    const pid = Number(await stage.said(seen, /\d+\n/));
    process.kill(stage.leader(seen), 'SIGKILL');
    await eventually(() => isGone(stage.leader(seen)));
    expect((await stage.only()).state).toBe('running');
    process.kill(pid, 'SIGKILL');
    const { exit } = await stage.until(({ state }) => state === 'exited');
    expect(exit).toMatchObject({ code: 137, signal: 'SIGKILL' });
    expect((await stage.agent().list(stage.owner.uid))[0]?.exit).toEqual(exit);
  });

  it('of a killed group are ends', async () => {
    const seen = await stage.start(stage.shell('sleep 100 & sleep 100'));
    process.kill(-stage.leader(seen), 'SIGKILL');
    expect((await stage.until(({ state }) => state === 'exited')).exit).toMatchObject({ code: 137 });
  });

  it('of the life before are told while it runs again', async () => {
    const revision = stage.shell('if [ -e once ]; then exec sleep 100; fi; touch once; exit 4');
    await stage.start(revision);
    await stage.until(({ state }) => state === 'exited');
    expect(await stage.start(revision)).toMatchObject({ state: 'running', exit: { code: 4 } });
  });

  it('count although the dead is still a zombie', async () => {
    const seen = await stage.start(stage.shell('sleep 100'));
    const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 100 3<&-'], { stdio: ['pipe', 'pipe', 'ignore'] });
    const zombie = Number(String((await once(parent.stdout, 'data'))[0]));
    await eventually(() => (commandLineOf(parent.pid!).startsWith('sleep') ? true : undefined));
    parent.stdin.end();
    await eventually(() => (/\) Z /.test(readFileSync(`/proc/${zombie}/stat`, 'utf8')) ? true : undefined));
    const started = readFileSync(`/proc/${zombie}/stat`, 'utf8').split(') ')[1]!.split(' ')[19];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    writeFileSync(stage.path(seen, 'runs', '2.claim'), `${zombie} ${boot}/${started}\n`);
    expect(await stage.only()).toMatchObject({ state: 'exited', exit: { code: 137 } });
    parent.kill('SIGKILL');
    process.kill(-stage.leaderOf(seen, 1), 'SIGKILL');
  });
});

describe('removing', () => {
  it('lets a process end by itself', async () => {
    const seen = await stage.start(stage.shell('trap "echo bye > ../../../bye; exit 0" TERM; echo ready; while :; do sleep 0.02; done'));
    await stage.said(seen, /ready/);
    await stage.runtime.remove(stage.owner.uid, seen.id, gently);
    expect(readFileSync(join(stage.folder, 'bye'), 'utf8')).toBe('bye\n');
    expect(await stage.runtime.list(stage.owner.uid)).toEqual([]);
    expect(readdirSync(stage.folder)).toEqual(['bye']);
  });

  it('kills after the grace whoever does not listen', async () => {
    const seen = await stage.start(stage.shell('trap "" TERM; echo ready; while :; do sleep 0.02; done'));
    await stage.said(seen, /ready/);
    const pid = stage.leader(seen);
    const before = Date.now();
    await stage.runtime.remove(stage.owner.uid, seen.id, { signal: 'SIGTERM', graceSeconds: 0.3 });
    expect(Date.now() - before).toBeGreaterThanOrEqual(300);
    expect(identify(pid)).toBeUndefined();
  });

  it('in the manner that it was made with, when nobody says how', async () => {
    const script = 'trap "" TERM; trap "echo bye > ../../../bye" USR1; echo ready; while :; do sleep 0.02; done';
    const seen = await stage.start(stage.shell(script, { stop: { signal: 'SIGUSR1', graceSeconds: 0.3 } }));
    await stage.said(seen, /ready/);
    const before = Date.now();
    await stage.agent().remove(stage.owner.uid, seen.id);
    expect(Date.now() - before).toBeLessThan(5_000);
    expect(readFileSync(join(stage.folder, 'bye'), 'utf8')).toBe('bye\n');
  });

  it('leaves no grandchild, whatever group of the session it is in', async () => {
    const script = 'set -m; trap "" TERM; sleep 101 & echo child $!; (trap "" TERM; sleep 102) & echo child $!; echo ready; wait';
    const seen = await stage.start(stage.shell(script));
    await stage.said(seen, /ready/);
    const pids = [...(await stage.text(seen)).matchAll(/child (\d+)/g)].map(([, pid]) => Number(pid));
    await stage.runtime.remove(stage.owner.uid, seen.id, { signal: 'SIGTERM', graceSeconds: 0.1 });
    expect(pids).toHaveLength(2);
    expect(pids.filter((pid) => identify(pid))).toEqual([]);
  });

  it('finds leftovers of a killed shim, and a restart does too', async () => {
    const revision = stage.shell('echo $$; exec sleep 100');
    const seen = await stage.start(revision);
    const first = Number(await stage.said(seen, /\d+\n/));
    process.kill(stage.leader(seen), 'SIGKILL');
    await stage.runtime.restart(stage.owner.uid, seen.id, gently);
    expect(identify(first)).toBeUndefined();
    const second = Number(await stage.said(seen, /\d+\n/));
    expect(second).not.toBe(first);
    process.kill(stage.leader(seen), 'SIGKILL');
    await stage.runtime.remove(stage.owner.uid, seen.id, gently);
    expect(identify(second)).toBeUndefined();
  });

  it('kills what a command left behind before it starts again', async () => {
    const revision = stage.shell('sleep 100 & echo $!; exit 1');
    const seen = await stage.start(revision);
    const leftover = Number(await stage.said(seen, /\d+\n/));
    await stage.until(({ state }) => state === 'exited');
    expect(identify(leftover)).toBeDefined();
    await stage.start(revision);
    expect(identify(leftover)).toBeUndefined();
  });

  it('happens once and is fine twice', async () => {
    const { id } = await stage.start(stage.shell('sleep 100'));
    await Promise.all([1, 2].map(() => stage.runtime.remove(stage.owner.uid, id, atOnce)));
    await stage.runtime.remove(stage.owner.uid, id, atOnce);
    expect(await stage.runtime.list(stage.owner.uid)).toEqual([]);
  });

  it('never signals a stranger that has the pid now', async () => {
    const stranger = spawn('sleep', ['100'], { detached: true, stdio: 'ignore' });
    const seen = await stage.start(stage.shell('exit 0'));
    await stage.until(({ state }) => state === 'exited');
    writeFileSync(stage.path(seen, 'runs', '2.claim'), `${stranger.pid} yesterday/1\n`);
    expect((await stage.only()).state).toBe('exited');
    await stage.runtime.restart(stage.owner.uid, seen.id, atOnce);
    await stage.runtime.remove(stage.owner.uid, seen.id, atOnce);
    expect(identify(stranger.pid!)).toBeDefined();
    stranger.kill('SIGKILL');
  });
});

describe('restarting', () => {
  it('keeps id, folder and ports, and counts as a new start', async () => {
    const revision = stage.shell('echo $PORT; exec sleep 100', { ports: [{ container: 80, protocol: 'tcp' }] });
    const before = await stage.start(revision);
    const pid = stage.leader(before);
    await stage.runtime.restart(stage.owner.uid, before.id, gently);
    const after = await stage.only();
    expect(after).toMatchObject({ id: before.id, state: 'running', ports: before.ports, exit: { code: 143, signal: 'SIGTERM' } });
    expect(stage.leader(after)).not.toBe(pid);
    expect(identify(pid)).toBeUndefined();
  });

  it('wakes up what was stopped', async () => {
    const revision = stage.shell('sleep 100');
    const seen = await stage.start(revision);
    process.kill(-stage.leader(seen), 'SIGSTOP');
    await stage.until(({ state }) => state === 'paused');
    await stage.start(revision);
    await stage.until(({ state }) => state === 'running');
  });
});

describe('a program that is stopped', () => {
  it.each([
    { what: 'the program', command: ['sh', '-c', 'echo $$; exec sleep 100'] },
    { what: 'a program in a session of its own', command: ['setsid', 'sh', '-c', 'echo $$; exec sleep 100'] },
  ])('is paused as when its whole group is, and wakes up ($what)', async ({ command }) => {
    const revision = stage.revision(command);
    const seen = await stage.start(revision);
    const pid = Number(await stage.said(seen, /\d+\n/));
    process.kill(pid, 'SIGSTOP');
    expect(await stage.until(({ state }) => state === 'paused')).toMatchObject({ ready: false });
    await stage.start(revision);
    expect(await stage.until(({ state }) => state === 'running')).toMatchObject({ ready: true, startedAt: seen.startedAt });
    expect(identify(pid)).toBeDefined();
  });

  it('is not meant by a child of it that is', async () => {
    const seen = await stage.start(stage.shell('sleep 100 & echo $!; wait'));
    const child = Number(await stage.said(seen, /\d+\n/));
    process.kill(child, 'SIGSTOP');
    await eventually(() => (isStopped(child) ? true : undefined));
    expect(await stage.only()).toMatchObject({ state: 'running', ready: true });
  });
});

describe('what is on disk', () => {
  it('may have a broken record: that instance is shown as dead, can be removed, and can be made anew', async () => {
    const revision = stage.shell('sleep 100');
    const seen = await stage.start(revision);
    const pid = stage.leader(seen);
    writeFileSync(stage.path(seen, 'record.json'), '{"cluster":"clu');
    expect(await stage.only()).toMatchObject({ id: seen.id, state: 'dead', digest: '01234567' });
    expect(await stage.runtime.list()).toEqual([]);
    await stage.start(revision);
    expect(await stage.only()).toMatchObject({ id: seen.id, name: seen.name, state: 'running' });
    expect(identify(pid)).toBeUndefined();
    writeFileSync(stage.path(seen, 'record.json'), '');
    await stage.runtime.remove(stage.owner.uid, seen.id, atOnce);
    expect(await stage.runtime.list(stage.owner.uid)).toEqual([]);
  });

  it('may be left by somebody who was killed over it', async () => {
    const revision = stage.shell('sleep 100');
    const seen = await stage.start(revision);
    const pid = stage.leader(seen);
    writeFileSync(stage.path(seen, 'record.json.12345678'), '{');
    mkdirSync(stage.path(seen, '..', '1-fedcba98'));
    mkdirSync(stage.path(seen, '..', '.gone-2-fedcba98-1'));
    writeFileSync(stage.path(seen, 'runs', '2.claim'), '');
    const stopped = new AbortController();
    await stage.runtime.watch(
      () => stopped.abort(),
      () => undefined,
      stopped.signal,
    );
    expect(existsSync(stage.path(seen, '..', '.gone-2-fedcba98-1'))).toBe(false);
    process.kill(-pid, 'SIGKILL');
    await stage.start(revision);
    expect(await stage.only()).toMatchObject({ state: 'running' });
    expect(readdirSync(stage.path(seen, 'runs'))).toContain('3.claim');
  });

  it("is left alone when it is another uid's or another cluster's", async () => {
    const revision = stage.shell('sleep 100');
    const seen = await stage.start(revision);
    const pid = stage.leader(seen);
    const foreign = stage.agent({}, 'cluster-2');
    expect(await foreign.list(stage.owner.uid)).toEqual([]);
    expect(await foreign.list()).toEqual([]);
    await foreign.remove(stage.owner.uid, seen.id, atOnce);
    await foreign.restart(stage.owner.uid, seen.id, atOnce);
    await expect(foreign.ensure(stage.owner, revision, 0)).rejects.toMatchObject({ reason: 'StartFailed' });
    await stage.runtime.remove('another uid', seen.id, atOnce);
    await stage.runtime.remove(stage.owner.uid, '../../etc', atOnce);
    expect(await stage.only()).toEqual(seen);
    expect(identify(pid)).toBeDefined();
  });

  it('is for the eyes of one user', async () => {
    const seen = await stage.start(stage.shell('sleep 100'));
    const { statSync } = await import('node:fs');
    expect(statSync(stage.path(seen)).mode & 0o077).toBe(0);
    expect(statSync(stage.path(seen, 'record.json')).mode & 0o077).toBe(0);
  });
});

describe('ports', () => {
  it('that are not fixed are chosen before the start and told to the process', async () => {
    const ports = [
      { name: 'web-ui', container: 80, protocol: 'tcp' },
      { container: 53, protocol: 'udp' },
    ] as const;
    const seen = await stage.start(
      stage.shell('echo $PORT $PORT_80 $PORT_WEB_UI $PORT_53; exec sleep 100', { ports, env: { PORT: '80' } }),
    );
    const [web, dns] = seen.ports!;
    expect(web).toMatchObject({ name: 'web-ui', container: 80, address: '127.0.0.1', protocol: 'tcp' });
    expect(await stage.said(seen, /.*\n/)).toBe(`${web!.host} ${web!.host} ${web!.host} ${dns!.host}\n`);
  });

  it('that are fixed go to the first slot, and a taken one is a problem', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port: host } = server.address() as { port: number };
    const revision = stage.shell('sleep 100', { ports: [{ container: 80, host, protocol: 'tcp' }] });
    await expect(stage.runtime.ensure(stage.owner, revision, 0)).rejects.toMatchObject({ reason: 'PortTaken' });
    const second = await stage.start(revision, 1);
    expect(second.ports![0]!.host).not.toBe(host);
    server.close();
    await once(server, 'close');
    expect((await stage.start(revision)).ports![0]!.host).toBe(host);
  });
});
