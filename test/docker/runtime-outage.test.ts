import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { containerName } from '../../activities/runtimes/docker/names.ts';
import { startEngine } from '../../scripts/docker-engine.mjs';
import { Recorder } from '../support/docker/recorder.ts';
import { SocketProxy } from '../support/docker/socket-proxy.ts';
import { AT_ONCE, engine, engineSocket, Installation, newOwner, revision, until } from './runtime-fixture.ts';

const installation = new Installation();
let proxy: SocketProxy;
let recorder: Recorder;

beforeAll(async () => {
  proxy = await SocketProxy.start(engineSocket);
  recorder = await Recorder.start(engine);
});
afterEach(async () => {
  proxy.clear();
  await proxy.open();
  await installation.clear();
});
afterAll(async () => {
  recorder.stop();
  await proxy.end();
});

const behindProxy = () => installation.runtime({}, { docker: new Docker({ socketPath: proxy.socket }) });
const unreachable = { name: 'Unreachable' };

describe('what it costs', () => {
  const asked = (from: number) =>
    proxy.calls
      .slice(from)
      .map(({ method, path }) => `${method} ${path.replace(/\?.*|[0-9a-f]{64}/g, (one) => (one.startsWith('?') ? '' : ':id'))}`);

  it('is a create, a start and one look for each new slot, and nothing for one that runs', async () => {
    const [runtime, owner, stop] = [behindProxy(), newOwner(), new AbortController()];
    let [watching, heard]: [Promise<void> | undefined, number] = [undefined, 0];
    await new Promise<void>((ready) => {
      watching = runtime.watch(ready, () => (heard += 1), stop.signal);
    });
    await runtime.list(owner.uid);
    const first = proxy.calls.length;
    await Promise.all([0, 1, 2].map((slot) => runtime.ensure(owner, revision(), slot)));
    const each = ['POST /containers/create', 'POST /containers/:id/start', 'GET /containers/:id/json'];
    expect(
      asked(first)
        .filter((call) => call !== 'GET /info')
        .sort(),
    ).toEqual([...each, ...each, ...each].sort());
    await until(async () => heard === 3);
    const second = proxy.calls.length;
    await Promise.all([0, 1, 2].map((slot) => runtime.ensure(owner, revision(), slot)));
    expect(await runtime.list(owner.uid)).toHaveLength(3);
    expect(asked(second)).toEqual(['GET /containers/json']);
    stop.abort();
    await watching;
  });
});

describe('an answer that is lost', () => {
  it.each([
    { call: 'create', path: /^\/containers\/create/ },
    { call: 'start', path: /^\/containers\/[^/]+\/start/ },
    { call: 'inspect', path: /^\/containers\/[0-9a-f]+\/json/ },
  ])('of $call leads to the same end when asked again', async ({ path }) => {
    const [runtime, owner] = [behindProxy(), newOwner()];
    proxy.inject({ kind: 'loseAnswer' }, { path, times: 2 });
    await until(async () => {
      try {
        await runtime.ensure(owner, revision(), 0);
        return true;
      } catch (error) {
        expect(error).toMatchObject(unreachable);
        return false;
      }
    });
    expect(await runtime.list(owner.uid)).toMatchObject([{ state: 'running' }]);
    await recorder.caughtUp();
    expect(recorder.duplicates).toEqual([]);
  });

  it('of create while a stranger who held the name leaves makes no second container', async () => {
    const [runtime, owner] = [behindProxy(), newOwner()];
    const stranger = await installation.stranger(containerName(owner, 0, revision().digest));
    proxy.inject({ kind: 'loseAnswer' }, { path: /^\/containers\/create/, after: 1 });
    await expect(runtime.ensure(owner, revision(), 0)).rejects.toMatchObject(unreachable);
    await engine.remove(stranger);
    await runtime.ensure(owner, revision(), 0);
    expect(await runtime.list(owner.uid)).toMatchObject([{ state: 'running' }]);
    await recorder.caughtUp();
    expect(recorder.duplicates).toEqual([]);
  });

  it('of a removal is a removal', async () => {
    const [runtime, owner] = [behindProxy(), newOwner()];
    await runtime.ensure(owner, revision(), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    proxy.inject({ kind: 'loseAnswer' }, { method: 'DELETE', path: /./ });
    await expect(runtime.remove(owner.uid, id, AT_ONCE)).rejects.toMatchObject(unreachable);
    await runtime.remove(owner.uid, id, AT_ONCE);
    expect(await engine.inspect(id)).toBeUndefined();
  });
});

describe('a listing that is older than the world', () => {
  it('neither makes a second container nor keeps one from being made', async () => {
    const [runtime, owner] = [behindProxy(), newOwner()];
    await runtime.list(owner.uid);
    await runtime.ensure(owner, revision(), 0);
    const old = proxy.inject({ kind: 'stale', calls: 1 }, { path: /^\/containers\/json/, times: Number.POSITIVE_INFINITY });
    expect(await behindProxy().list(owner.uid)).toEqual([]);
    await behindProxy().ensure(owner, revision(), 0);
    old.remove();
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    await engine.remove(id);
    proxy.inject({ kind: 'stale', calls: 1 }, { path: /^\/containers\/json/ });
    await behindProxy().ensure(owner, revision(), 0);
    const [again] = await runtime.list(owner.uid);
    expect(again).toMatchObject({ state: 'running' });
    expect(again?.id).not.toBe(id);
    await recorder.caughtUp();
    expect(recorder.duplicates).toEqual([]);
  });
});

describe('an engine in trouble', () => {
  it.each([
    { what: 'refuses with 500', fault: { kind: 'refuse', status: 500, message: 'trouble' } },
    { what: 'refuses with 503', fault: { kind: 'refuse', status: 503, message: 'trouble' } },
    { what: 'answers nonsense', fault: { kind: 'garbage', body: '<html>' } },
    { what: 'breaks off in the middle', fault: { kind: 'reset' } },
  ] as const)('that $what is unreachable, and nothing is known', async ({ fault }) => {
    const [runtime, owner] = [behindProxy(), newOwner()];
    await runtime.ensure(owner, revision(), 0);
    proxy.inject(fault, { path: /^\/containers\/json/, times: Number.POSITIVE_INFINITY });
    await expect(runtime.list(owner.uid)).rejects.toMatchObject(unreachable);
    proxy.clear();
    expect(await runtime.list(owner.uid)).toHaveLength(1);
  });

  it.each(['refused', 'missing'] as const)('whose socket is %s is unreachable until it comes back', async (how) => {
    const [runtime, owner] = [behindProxy(), newOwner()];
    let isReady = false;
    const watching = runtime.watch(
      () => (isReady = true),
      () => undefined,
      new AbortController().signal,
    );
    const isOver = expect(watching).rejects.toMatchObject(unreachable);
    await until(async () => isReady);
    await proxy.close(how);
    await isOver;
    await expect(runtime.list(owner.uid)).rejects.toMatchObject(unreachable);
    await expect(runtime.ensure(owner, revision(), 0)).rejects.toMatchObject(unreachable);
    await proxy.open();
    await runtime.ensure(owner, revision(), 0);
    expect(await runtime.list(owner.uid)).toHaveLength(1);
  });

  it('that is frozen ends the watch, though its connection stays open', async () => {
    const frozen = await startEngine(undefined, { images: false });
    try {
      const docker = new Docker({ socketPath: frozen.socket });
      const runtime = installation.runtime({}, { docker, pings: { everyMs: 200, timeoutMs: 500 } });
      let isReady = false;
      const watching = runtime.watch(
        () => (isReady = true),
        () => undefined,
        new AbortController().signal,
      );
      const isOver = expect(watching).rejects.toMatchObject(unreachable);
      await until(async () => isReady);
      frozen.kill('SIGSTOP');
      await isOver;
      frozen.kill('SIGCONT');
      expect(await runtime.list('nobody')).toEqual([]);
    } finally {
      frozen.kill('SIGCONT');
      await frozen.stop();
    }
  });
});
