import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PrivateEngine, startEngine } from '../../scripts/docker-engine.mjs';
import { EngineClient, type Labels, type Listed } from '../support/docker/engine-client.ts';
import { delay, drip, garbage, loseAnswer, partial, refuse, reset, stale, stall } from '../support/docker/faults.ts';
import { dockerSocket, registryAddress } from '../support/docker/host.ts';
import { Recorder } from '../support/docker/recorder.ts';
import { isMutating, SocketProxy } from '../support/docker/socket-proxy.ts';
import { expectUntouched, snapshot } from '../support/docker/strangers.ts';

const SUITE = { 'colony-test.suite': 'harness' };
const isOurs = (labels: Labels): boolean => labels['colony-test.suite'] === 'harness';
const CREATE = { method: 'POST', path: /^\/containers\/create/ };
const LIST = { method: 'GET', path: /^\/containers\/json/ };

/** A named engine may be all that there is. */
const canStartEngines = process.platform === 'linux' && process.getuid?.() === 0;

let own: PrivateEngine | undefined;
let engine: EngineClient;

/** Labels as an instance of ours has them. */
const ours = (uid: string, slot = 0, digest = 'd1') => ({
  ...SUITE,
  'colony.uid': uid,
  'colony.slot': String(slot),
  'colony.digest': digest,
});

const mine = async (client = engine): Promise<readonly Listed[]> => client.list('colony-test.suite=harness');

const within = <T>(work: Promise<T>, ms: number): Promise<T | 'late'> =>
  Promise.race([work, new Promise<'late'>((wake) => setTimeout(() => wake('late'), ms).unref())]);

describe.skipIf(!dockerSocket)('what tests of the docker runtime stand on', () => {
  // What is provoked here would be taken for a fault of theirs by other test files in the shared engine.
  beforeAll(async () => {
    own = canStartEngines ? await startEngine() : undefined;
    engine = new EngineClient(own?.socket ?? dockerSocket ?? '');
  });

  afterAll(() => own?.stop());

  afterEach(async () => {
    for (const { Id } of await mine()) await engine.remove(Id);
  });

  describe('the engine', () => {
    it('that all share has the test images', async () => {
      expect(await new EngineClient(dockerSocket ?? '').imageId('colony-test:v2')).toMatch(/^sha256:/);
    });

    it('runs the test images, which differ although their content does not', async () => {
      const [first, second] = [await engine.imageId('colony-test:v1'), await engine.imageId('colony-test:v2')];
      expect(first).toMatch(/^sha256:/);
      expect(second).not.toBe(first);
      const id = await engine.createStranger({ labels: SUITE, image: 'colony-test:v2' });
      await expect.poll(() => engine.logs(id)).toBe('ready\n');
      expect(await engine.exec(id, ['sh', '-c', 'echo out; echo err >&2; exit 3'])).toEqual({
        code: 3,
        said: expect.stringMatching(/out|err/),
      });
      await engine.stop(id, 120);
      expect((await engine.inspect(id))?.State).toMatchObject({ Status: 'exited', ExitCode: 0 });
    });

    it('publishes ports on the loopback', async () => {
      const body = { ExposedPorts: { '80/tcp': {} }, HostConfig: { PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] } } };
      const id = await engine.createStranger({ labels: SUITE, command: ['httpd', '-f', '-p', '80', '-h', '/etc'], body });
      const port = (await engine.inspect(id))?.NetworkSettings.Ports['80/tcp']?.[0]?.HostPort;
      const answer = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/group`).catch(() => undefined))?.text() ?? '';
      await expect.poll(answer).toContain('nogroup');
    });

    it.skipIf(!registryAddress)('pushes to the registry and pulls from it', async () => {
      const repository = `${registryAddress}/harness`;
      await engine.tag('colony-test:v1', repository, 'v1');
      await engine.push(repository, 'v1');
      await engine.removeImage(`${repository}:v1`);
      expect(await engine.imageId(`${repository}:v1`)).toBeUndefined();
      await engine.call('POST', `/images/create?fromImage=${repository}&tag=v1`);
      expect(await engine.imageId(`${repository}:v1`)).toBe(await engine.imageId('colony-test:v1'));
      await engine.removeImage(`${repository}:v1`);
    });

    it.skipIf(!canStartEngines)('is a second one beside the first, which can be killed and comes back', async () => {
      const second = await startEngine(undefined, { liveRestore: true });
      try {
        const client = new EngineClient(second.socket);
        const id = await client.createStranger();
        expect(await engine.inspect(id)).toBeUndefined();
        await second.restart('SIGKILL');
        expect((await client.inspect(id))?.State.Running).toBe(true);
      } finally {
        await second.stop();
      }
      await expect(new EngineClient(second.socket).list()).rejects.toMatchObject({ code: 'ENOENT' });
    });
  });

  describe('the recorder', () => {
    let recorder: Recorder;

    beforeEach(async () => {
      recorder = await Recorder.start(engine, isOurs);
    });

    afterEach(() => recorder.stop());

    it('reports two of the same owner, slot and digest, however short their time together', async () => {
      const first = await engine.create({ name: 'harness-a', labels: ours('u1') });
      await engine.remove(await engine.create({ name: 'harness-b', labels: ours('u1') }));
      await engine.remove(first);
      await recorder.caughtUp();
      expect(recorder.duplicates).toMatchObject([{ key: 'u1/0/d1', names: ['harness-a', 'harness-b'] }]);
    });

    it('reports those that were there before it', async () => {
      await engine.create({ labels: ours('u2') });
      await engine.create({ labels: ours('u2') });
      const late = await Recorder.start(engine, isOurs);
      late.stop();
      expect(late.duplicates).toMatchObject([{ key: 'u2/0/d1' }]);
    });

    it('is content with one after the other, also of one name, with other slots or digests, and with strangers', async () => {
      for (let round = 0; round < 3; round++) await engine.remove(await engine.create({ name: 'harness-same', labels: ours('u3') }));
      for (const labels of [ours('u3'), ours('u3', 1), ours('u3', 0, 'd2'), ours('u4'), SUITE, SUITE]) await engine.create({ labels });
      await recorder.caughtUp();
      expect(recorder.duplicates).toEqual([]);
    });

    it('counts what somebody did in a window, and nothing that only looks', async () => {
      const id = await engine.createStranger({ name: 'harness-quiet', labels: SUITE });
      await recorder.caughtUp();
      expect(recorder.operations()).toEqual(['create container harness-quiet', 'start container harness-quiet']);
      const settled = Date.now();
      await engine.inspect(id);
      await engine.exec(id, ['true']);
      await engine.logs(id);
      await recorder.caughtUp();
      expect(recorder.operations(settled)).toEqual([]);
      await engine.pause(id);
      await engine.rename(id, 'harness-loud');
      await recorder.caughtUp();
      expect(recorder.operations(settled)).toEqual(['pause container harness-quiet', 'rename container harness-loud']);
    });

    it('hears of what is meant only', async () => {
      const other = await Recorder.start(engine, (labels) => labels['colony.uid'] === 'u9');
      for (const uid of ['u9', 'u10', 'u10']) await engine.create({ name: `harness-${uid}-${Math.random()}`, labels: ours(uid) });
      await other.caughtUp();
      other.stop();
      expect(other.operations()).toEqual([expect.stringContaining('create container harness-u9')]);
      expect(other.duplicates).toEqual([]);
    });

    it('knows how many were there at most, and how many ran', async () => {
      const peak = recorder.peakOf((labels) => labels['colony.uid'] === 'u5');
      const ids = await Promise.all([0, 1, 2].map((slot) => engine.create({ labels: ours('u5', slot) })));
      for (const id of ids.slice(0, 2)) await engine.start(id);
      for (const id of ids) await engine.remove(id);
      await recorder.caughtUp();
      expect(peak).toMatchObject({ existing: 3, running: 2 });
    });

    it('misses nothing when only its own connection was cut', async () => {
      const proxy = await SocketProxy.start(engine.socket);
      const cut = await Recorder.start(new EngineClient(proxy.socket), isOurs);
      await proxy.close();
      await engine.remove(await engine.create({ name: 'harness-missed', labels: SUITE }));
      await proxy.open();
      await cut.caughtUp();
      cut.stop();
      await proxy.end();
      expect(cut.operations()).toEqual(['create container harness-missed', 'destroy container harness-missed']);
    });

    it.skipIf(!canStartEngines)('goes on when the engine was away', async () => {
      const second = await startEngine();
      const client = new EngineClient(second.socket);
      const other = await Recorder.start(client, isOurs);
      try {
        await client.create({ labels: ours('u6') });
        await second.restart();
        await client.create({ labels: ours('u6') });
        await expect.poll(() => other.duplicates.length).toBe(1);
        expect(other.gaps).toBe(1);
      } finally {
        other.stop();
        await second.stop();
      }
    });
  });

  describe('a snapshot of strangers', () => {
    it('stays the same when nobody touches them', async () => {
      const ids = [await engine.createStranger({ labels: SUITE }), await engine.create({ labels: ours('another') })];
      const before = await snapshot(engine, ids);
      await engine.exec(ids[0] ?? '', ['true']);
      await expectUntouched(engine, before);
    });

    it.each<[string, (id: string) => Promise<void>]>([
      ['restarted', (id) => engine.restart(id, 0)],
      ['renamed', (id) => engine.rename(id, 'harness-renamed')],
      ['given another limit', (id) => engine.update(id, { PidsLimit: 50 })],
      ['paused', (id) => engine.pause(id)],
      ['removed', (id) => engine.remove(id)],
    ])('differs when one was %s', async (_, touch) => {
      const id = await engine.createStranger({ labels: SUITE });
      const before = await snapshot(engine, [id]);
      await touch(id);
      await expect(expectUntouched(engine, before)).rejects.toThrow();
    });

    it('tells what bears the label of an owner', async () => {
      await engine.create({ name: 'harness-trace', labels: ours('u7') });
      expect(await engine.tracesOf('u7')).toEqual(['container /harness-trace']);
      expect(await engine.tracesOf('u8')).toEqual([]);
    });
  });

  describe('the proxy', () => {
    let proxy: SocketProxy;
    let client: EngineClient;

    beforeEach(async () => {
      proxy = await SocketProxy.start(engine.socket);
      client = new EngineClient(proxy.socket);
    });

    afterEach(() => proxy.end());

    const create = (name?: string): Promise<string> => client.create({ ...(name ? { name } : {}), labels: SUITE });

    it('passes everything on as it is', async () => {
      const id = await client.createStranger({ labels: SUITE });
      expect(await client.inspectBytes(id)).toEqual(await engine.inspectBytes(id));
      expect(await client.exec(id, ['echo', 'hello'])).toEqual({ code: 0, said: 'hello\n' });
      expect((await client.call('POST', `/v1.40/containers/${id}/start`)).status).toBe(304);
      expect((await client.call('GET', '/containers/nobody/json')).status).toBe(404);
      expect(proxy.calls.map(({ method, path }) => `${method} ${path.replaceAll(id, 'ID')}`)).toContain('POST /containers/ID/start');
      expect(proxy.calls.at(-1)).toMatchObject({ engineStatus: 404, fault: undefined });
    });

    it('passes streams on while they flow, and their end', async () => {
      const command = ['sh', '-c', 'echo one; while [ ! -e /go ]; do sleep 0.1; done; echo two; exec stay'];
      const id = await client.createStranger({ labels: SUITE, command });
      const logs = await client.open(`/containers/${id}/logs?follow=true&stdout=true`);
      const [first] = (await once(logs, 'data')) as [Buffer];
      expect(first.toString()).toContain('one\n');
      await engine.exec(id, ['touch', '/go']);
      const [second] = (await once(logs, 'data')) as [Buffer];
      expect(second.toString()).toContain('two\n');
      const ended = once(logs.resume(), 'end');
      await engine.kill(id);
      await ended;
      const recorder = await Recorder.start(client, isOurs);
      await client.remove(id);
      await recorder.caughtUp();
      recorder.stop();
      expect(recorder.operations()).toHaveLength(1);
    });

    it('lets a client that goes away be gone for the engine too', async () => {
      const id = await client.createStranger({ labels: SUITE });
      const logs = await client.open(`/containers/${id}/logs?follow=true&stdout=true`);
      await expect.poll(() => proxy.connections).toBe(2);
      logs.on('error', () => {}).destroy();
      await expect.poll(() => proxy.connections).toBe(0);
    });

    it('passes upgraded connections on, both ways, each side ending on its own', async () => {
      const id = await client.createStranger({ labels: SUITE });
      const wish = { Cmd: ['sh', '-c', 'cat; echo end'], AttachStdin: true, AttachStdout: true };
      const { body } = await client.call('POST', `/containers/${id}/exec`, wish);
      expect(await hijack(proxy.socket, (JSON.parse(body.toString()) as { Id: string }).Id, 'typed\n')).toMatch(
        /^HTTP\/1\.1 101.*typed\n.*end\n/s,
      );
    });

    it('refuses, loses or stalls upgraded connections', async () => {
      const path = /^\/exec\/.*\/start/;
      for (const fault of [refuse(503), loseAnswer, stall]) proxy.inject(fault, { path });
      expect(await hijack(proxy.socket, 'x', '')).toMatch(/^HTTP\/1\.1 503/);
      expect(await hijack(proxy.socket, 'x', '')).toBe('');
      expect(await within(hijack(proxy.socket, 'x', ''), 200)).toBe('late');
    });

    it('loses an answer: done, and nobody knows', async () => {
      const injected = proxy.inject(loseAnswer, CREATE);
      await expect(create('harness-lost')).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect(injected.strikes).toBe(1);
      expect(await mine()).toHaveLength(1);
      expect(proxy.calls.at(-1)).toMatchObject({ fault: 'loseAnswer', engineStatus: 201 });
      await expect(create('harness-lost')).rejects.toMatchObject({ status: 409 });
    });

    it.each([409, 500, 503])('refuses with %d: not done', async (status) => {
      proxy.inject(refuse(status, 'no'), CREATE);
      await expect(create()).rejects.toMatchObject({ status, message: expect.stringContaining('{"message":"no"}') });
      expect(await mine()).toEqual([]);
    });

    it('strikes the n-th that matches, as often as told, until removed', async () => {
      const injected = proxy.inject(refuse(500), { ...LIST, after: 1, times: 2 });
      const tried: number[] = [];
      for (let at = 0; at < 5; at++) tried.push((await client.call('GET', '/containers/json')).status);
      expect(tried).toEqual([200, 500, 500, 200, 200]);
      const lasting = proxy.inject(refuse(500), { ...LIST, times: Number.POSITIVE_INFINITY });
      await expect(mine(client)).rejects.toThrow();
      lasting.remove();
      injected.remove();
      expect(await mine(client)).toEqual([]);
    });

    it('delays, and does it although the client has gone away', async () => {
      let release = (): void => {};
      proxy.inject(delay(new Promise<void>((done) => (release = done))), CREATE);
      const arrived = proxy.arrival(CREATE);
      const socket = connect(proxy.socket);
      const wish = JSON.stringify({ Image: 'colony-test:v1', Labels: SUITE });
      socket.write(
        `POST /containers/create HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\nContent-Length: ${wish.length}\r\n\r\n${wish}`,
      );
      await arrived;
      socket.destroy();
      expect(await mine()).toEqual([]);
      release();
      await expect.poll(mine).toHaveLength(1);
      proxy.inject(delay(150), CREATE);
      const began = Date.now();
      await create();
      expect(Date.now() - began).toBeGreaterThanOrEqual(149);
    });

    it('shows a list of earlier', async () => {
      await mine(client);
      await create();
      await mine(client);
      await create();
      proxy.inject(stale(2), LIST);
      expect(await mine(client)).toHaveLength(0);
      proxy.inject(stale(), LIST);
      expect(await mine(client)).toHaveLength(1);
      expect(await mine(client)).toHaveLength(2);
    });

    it('shows a part of a list', async () => {
      const kept = await create();
      await create();
      proxy.inject(
        partial((entry) => (entry as Listed).Id === kept),
        LIST,
      );
      expect((await mine(client)).map(({ Id }) => Id)).toEqual([kept]);
      proxy.inject(partial(), LIST);
      expect(await mine(client)).toHaveLength(1);
      expect(await mine(client)).toHaveLength(2);
    });

    it('stalls until the client is tired of it', async () => {
      proxy.inject(stall, LIST);
      const listed = mine(client);
      listed.catch(() => {}); // ended with the proxy
      expect(await within(listed, 300)).toBe('late');
    });

    it('cuts an answer in its middle, garbles it, or lets it drip', async () => {
      await create();
      proxy.inject(reset, LIST);
      await expect(mine(client)).rejects.toMatchObject({ code: 'ECONNRESET' });
      proxy.inject(garbage(), LIST);
      await expect(mine(client)).rejects.toThrow(SyntaxError);
      proxy.inject(drip(1), { path: /^\/_ping/ });
      expect((await client.call('GET', '/_ping')).body.toString()).toBe('OK');
    });

    it('is away as a killed engine is, or as one that has ended, and cuts what was under way', async () => {
      const events = await client.open('/events');
      const cut = once(events, 'error');
      events.resume();
      await proxy.close();
      expect(await cut).toMatchObject([{ code: 'ECONNRESET' }]);
      await expect(mine(client)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      await proxy.open();
      expect(await mine(client)).toEqual([]);
      await proxy.close('missing');
      await expect(mine(client)).rejects.toMatchObject({ code: 'ENOENT' });
      await proxy.open();
      expect(await mine(client)).toEqual([]);
    });

    it('knows which calls change anything', async () => {
      const began = Date.now();
      const id = await client.createStranger({ labels: SUITE });
      await client.remove(id);
      await mine(client);
      expect(proxy.mutations(began).map(({ method, path }) => `${method} ${path.replace(id, 'ID')}`)).toEqual([
        'POST /containers/create',
        'POST /containers/ID/start',
        'DELETE /containers/ID?force=true&v=true',
      ]);
      for (const path of ['/exec/e/start', '/containers/c/exec', '/containers/c/wait', '/containers/c/attach?stream=1']) {
        expect(isMutating({ method: 'POST', path })).toBe(false);
      }
    });
  });
});

/** Speaks as `docker exec` does; all that came back. */
async function hijack(socketPath: string, exec: string, typed: string): Promise<string> {
  const socket = connect({ path: socketPath, allowHalfOpen: true });
  const wish = JSON.stringify({ Detach: false, Tty: false });
  const headers = ['Host: d', 'Connection: Upgrade', 'Upgrade: tcp', 'Content-Type: application/json', `Content-Length: ${wish.length}`];
  socket.write(`POST /v1.41/exec/${exec}/start HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${wish}`);
  let said = '';
  socket.setEncoding('utf8').on('data', (text) => {
    if (said === '' && typed) socket.end(typed);
    said += text;
  });
  socket.on('end', () => socket.end());
  socket.on('error', () => {});
  await once(socket, 'close');
  return said;
}
