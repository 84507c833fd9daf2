import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { Runtime } from '../../activities/runtimes/runtime.ts';
import type { InstanceOwner } from '../../definitions/core/instance.ts';
import { AT_ONCE, engine, Installation, newOwner, revision, shell, textOf, until } from './runtime-fixture.ts';

const installation = new Installation();
afterEach(() => installation.clear());

const forever = new AbortController().signal;
const all = { follow: false, previous: false, timestamps: false, signal: forever };

async function started(runtime: Runtime, script: string, owner = newOwner()): Promise<string> {
  await runtime.ensure(owner, revision(shell(script)), 0);
  return (await runtime.list(owner.uid))[0]!.id;
}

const ended = (runtime: Runtime, id: string) =>
  until(async () => (await runtime.list()).find((one) => one.id === id && one.state === 'exited'));

describe('logs', () => {
  it('tell the two streams apart, wholly or the last lines only', async () => {
    const runtime = installation.runtime();
    const id = await started(runtime, 'echo one; echo two; echo wrong >&2; sleep 0.2; echo three');
    await ended(runtime, id);
    expect(await textOf(runtime.logs(id, all), 'stdout')).toBe('one\ntwo\nthree\n');
    expect(await textOf(runtime.logs(id, all), 'stderr')).toBe('wrong\n');
    expect(await textOf(runtime.logs(id, { ...all, tail: 1 }))).toBe('three\n');
    expect(await textOf(runtime.logs(id, { ...all, tail: 1, timestamps: true }))).toMatch(/^\d{4}-\S+Z three\n$/);
  });

  it('keep lives apart', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const script = 'date +%s%N > /tmp/now; [ -e /old ] && echo second || { touch /old; echo first; echo last; }; exec stay';
    const id = await started(runtime, script, owner);
    await until(async () => (await textOf(runtime.logs(id, all))).includes('last'));
    expect(await textOf(runtime.logs(id, { ...all, previous: true }))).toBe('');
    await runtime.restart(owner.uid, id, { signal: 'SIGTERM', graceSeconds: 1 });
    await until(async () => (await textOf(runtime.logs(id, all))).includes('second'));
    expect(await textOf(runtime.logs(id, all))).not.toContain('first');
    expect(await textOf(runtime.logs(id, { ...all, previous: true, tail: 2 }))).toMatch(/last\n(ready\n)?$/);
    expect(await textOf(runtime.logs(id, { ...all, previous: true }))).not.toContain('second');
  });

  it.each([{ isWatched: true }, { isWatched: false }])('tell one life of many (watched: $isWatched)', async ({ isWatched }) => {
    const [runtime, owner, stop] = [installation.runtime(), newOwner(), new AbortController()];
    const watching = isWatched
      ? runtime.watch(
          () => {},
          () => {},
          stop.signal,
        )
      : undefined;
    const script = 'n=$(($(cat /n 2> /dev/null || echo 0) + 1)); echo $n > /n; echo life $n; sleep 0.$n; exit 3';
    let id = '';
    for (const n of [1, 2, 3, 4]) {
      id = await started(runtime, script, owner);
      await until(async () => (await textOf(runtime.logs(id, all))).includes(`life ${n}`));
      const seen = await ended(runtime, id);
      expect(seen.exit).toMatchObject({ code: 3, log: `life ${n}` });
    }
    expect(await textOf(runtime.logs(id, all))).toBe('life 4\n');
    expect(await textOf(runtime.logs(id, { ...all, previous: true }))).toBe('life 3\n');
    expect(await textOf(runtime.logs(id, { ...all, previous: true, tail: 5 }))).toBe('life 3\n');
    stop.abort();
    await watching;
  });

  it('follow until it ends, or until nobody listens', async () => {
    const runtime = installation.runtime();
    const id = await started(runtime, 'for i in 1 2 3; do echo $i; sleep 0.2; done');
    expect(await textOf(runtime.logs(id, { ...all, follow: true }))).toBe('1\n2\n3\n');
    const stay = await started(runtime, 'echo here; exec stay');
    const stop = new AbortController();
    let heard = '';
    for await (const { data } of runtime.logs(stay, { ...all, follow: true, signal: stop.signal })) {
      heard += Buffer.from(data).toString();
      if (heard.includes('here\n')) stop.abort();
    }
    expect(heard).toContain('here\n');
  });

  it('of strangers are not told', async () => {
    const id = await installation.stranger(undefined);
    await expect(textOf(installation.runtime().logs(id, all))).rejects.toThrow('no such instance');
  });
});

describe('exec', () => {
  it('gives the output, its streams and the exit code', async () => {
    const runtime = installation.runtime();
    const id = await started(runtime, 'exec stay');
    const session = await runtime.exec(id, { command: ['sh', '-c', 'echo out; echo err >&2; exit 7'], tty: false, stdin: false });
    const seen = { stdout: '', stderr: '' };
    for await (const { stream, data } of session.output) seen[stream] += Buffer.from(data).toString();
    expect(seen).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    expect(await session.exitCode).toBe(7);
  });

  it('takes input, with its end', async () => {
    const runtime = installation.runtime();
    const id = await started(runtime, 'exec stay');
    const session = await runtime.exec(id, { command: ['wc', '-c'], tty: false, stdin: true });
    session.write(Buffer.from('12345'));
    session.endInput();
    expect((await textOf(session.output)).trim()).toBe('5');
    expect(await session.exitCode).toBe(0);
  });

  it('has a terminal if asked, of the size asked', async () => {
    const runtime = installation.runtime();
    const id = await started(runtime, 'exec stay');
    const session = await runtime.exec(id, { command: ['sh', '-c', 'read x; stty size'], tty: true, stdin: true });
    await session.resize(33, 77);
    session.write(Buffer.from('\n'));
    expect(await textOf(session.output)).toContain('33 77');
    expect(await session.exitCode).toBe(0);
  });

  it('is not done in strangers', async () => {
    const id = await installation.stranger(undefined);
    await expect(installation.runtime().exec(id, { command: ['true'], tty: false, stdin: false })).rejects.toThrow('no such instance');
  });
});

describe('stats', () => {
  it('measure cores, memory and processes, and leave out what does not run', async () => {
    const runtime = installation.runtime();
    const [busy, idle] = await Promise.all([started(runtime, 'while :; do :; done'), started(runtime, 'exec stay')]);
    const gone = await started(runtime, 'true');
    await ended(runtime, gone);
    // Others may want the cores too.
    const usage = await until(async () => {
      const measured = await runtime.stats([busy, idle, gone, 'f'.repeat(64)]);
      return measured[0]!.cpus > 0.1 && measured;
    });
    expect(usage.map(({ id }) => id)).toEqual([busy, idle]);
    expect(usage[1]!.cpus).toBeLessThan(0.1);
    expect(usage[0]).toMatchObject({ memoryLimitBytes: 32 * 1024 ** 2, pids: expect.any(Number) });
    expect(usage[0]!.memoryBytes).toBeGreaterThan(0);
  });
});

describe('probe', () => {
  /** For those that shall answer, however busy the machine is. */
  const LONG_MS = 60_000;

  it('asks a command, and says what it said', async () => {
    const runtime = installation.runtime();
    const id = await started(runtime, 'exec stay');
    await runtime.probe(id, { type: 'exec', command: ['true'] }, LONG_MS);
    await expect(runtime.probe(id, { type: 'exec', command: ['sh', '-c', 'echo no; exit 2'] }, LONG_MS)).rejects.toThrow(
      'the command ended with 2: no',
    );
    await expect(runtime.probe(id, { type: 'exec', command: ['sleep', '600'] }, 200)).rejects.toThrow('did not end in 0.2 s');
  });

  it('runs a command that hangs once, however often it asks, and again as soon as that one has ended', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const id = await started(runtime, 'exec stay', owner);
    const hangs = { type: 'exec', command: ['sh', '-c', 'while [ ! -e /tmp/go ]; do sleep 0.05; done'] } as const;
    const ask = (timeoutMs = 500): Promise<void> => runtime.probe(id, hangs, timeoutMs);
    const hanging = async () => (await engine.top(id)).filter((line) => line.includes('/tmp/go'));
    await expect(ask()).rejects.toThrow('did not end in 0.5 s');
    for (let times = 0; times < 3; times++) await expect(ask()).rejects.toThrow('the command of an earlier probe still runs');
    expect(await hanging()).toHaveLength(1);
    await runtime.probe(id, { type: 'exec', command: ['true'] }, LONG_MS);
    await engine.exec(id, ['touch', '/tmp/go']);
    // The engine takes notice of an end a moment later.
    await until(() =>
      ask(LONG_MS).then(
        () => true,
        () => false,
      ),
    );
    await engine.exec(id, ['rm', '/tmp/go']);
    await expect(ask()).rejects.toThrow('did not end in 0.5 s');
    await runtime.restart(owner.uid, id, AT_ONCE);
    await expect(ask()).rejects.toThrow('did not end in 0.5 s');
  });

  it('runs a command once that closes its output and hangs', async () => {
    const runtime = installation.runtime();
    const id = await started(runtime, 'exec stay');
    const command = ['sh', '-c', 'exec sleep 597 > /dev/null 2>&1'];
    for (let times = 0; times < 3; times++) await expect(runtime.probe(id, { type: 'exec', command }, 500)).rejects.toThrow();
    expect((await engine.top(id)).filter((line) => line.includes('sleep 597'))).toHaveLength(1);
  });

  it.each([
    { where: 'where a port is published', ports: [{ container: 8080, protocol: 'tcp' as const }] },
    { where: 'else at its own address', ports: [] },
  ])('asks http and tcp $where', async ({ ports }) => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision({ ...shell('mkdir /www; echo hi > /www/ok; exec httpd -f -p 8080 -h /www'), ports }), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    const http = { type: 'http', port: 8080, path: '/ok', scheme: 'http', headers: {} } as const;
    await until(() =>
      runtime.probe(id, http, LONG_MS).then(
        () => true,
        () => false,
      ),
    );
    await runtime.probe(id, { type: 'tcp', port: 8080 }, LONG_MS);
    await expect(runtime.probe(id, { ...http, path: '/missing' }, LONG_MS)).rejects.toThrow('http port 8080 answered 404');
    await expect(runtime.probe(id, { type: 'tcp', port: 81 }, LONG_MS)).rejects.toThrow('tcp port 81 does not answer');
  });
});

describe('watch', () => {
  it('tells whose instance changed, within 200 ms of anybody else who listens, and nothing of strangers', async () => {
    // Its own: a new watch is told again what happened a moment ago.
    const fresh = new Installation();
    const [runtime, owner] = [fresh.runtime(), newOwner()];
    const told: { readonly owner: InstanceOwner; readonly at: number }[] = [];
    const stop = new AbortController();
    let watching: Promise<void> | undefined;
    await new Promise<void>((ready) => {
      watching = runtime.watch(ready, (one) => told.push({ owner: one, at: Date.now() }), stop.signal);
    });
    const id = await started(runtime, 'exec stay', owner);
    // Its start, once.
    await until(async () => told.length > 0);
    expect(told[0]?.owner).toEqual(owner);
    const stranger = await installation.stranger(undefined);
    told.length = 0;
    const filters = encodeURIComponent(JSON.stringify({ container: [id], event: ['die'] }));
    const other = await engine.open(`/events?since=${Math.floor(Date.now() / 1000)}&filters=${filters}`);
    const heard = once(other, 'data').then(() => Date.now());
    await engine.kill(stranger);
    await engine.kill(id);
    await until(async () => told.length > 0);
    expect(told[0]!.at - (await heard)).toBeLessThan(200);
    other.destroy();
    expect(told.every(({ owner: { uid } }) => uid === owner.uid)).toBe(true);
    expect(await runtime.list(owner.uid)).toMatchObject([{ state: 'exited', exit: { code: 137 } }]);
    stop.abort();
    await watching;
    await fresh.clear();
  });

  it.each([
    {
      change: 'an update',
      make: (id: string) => engine.update(id, { Memory: 64 * 1024 ** 2, MemorySwap: 64 * 1024 ** 2 }),
      seen: { handEdited: expect.stringContaining('memory') },
    },
    { change: 'a pause', make: (id: string) => engine.pause(id), seen: { state: 'paused' } },
    { change: 'a name', make: (id: string) => engine.rename(id, `x-${id.slice(0, 12)}`), seen: { name: expect.stringContaining('x-') } },
    { change: 'a restart', make: (id: string) => engine.restart(id), seen: { exit: expect.anything() } },
  ])('sees $change by hand although it remembers what it saw', async ({ make, seen }) => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    let changes = 0;
    const stop = new AbortController();
    let watching: Promise<void> | undefined;
    await new Promise<void>((ready) => {
      watching = runtime.watch(ready, () => (changes += 1), stop.signal);
    });
    const id = await started(runtime, 'exec stay', owner);
    await until(async () => changes > 0);
    const before = await runtime.list(owner.uid);
    expect(before).toMatchObject([{ state: 'running' }]);
    changes = 0;
    await make(id);
    await until(async () => changes > 0);
    await until(async () => {
      const [now] = await runtime.list(owner.uid);
      return Object.entries(seen).every(([key, value]) => expect.objectContaining({ [key]: value }).asymmetricMatch(now));
    });
    await runtime.remove(owner.uid, id, AT_ONCE);
    stop.abort();
    await watching;
  });
});
