import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { containerName } from '../../activities/runtimes/docker/names.ts';
import { expectUntouched, snapshot } from '../support/docker/strangers.ts';
import { AT_ONCE, engine, engineSocket, Installation, NODE, newOwner, revision, shell, until } from './runtime-fixture.ts';

const installation = new Installation();
afterEach(() => installation.clear());

const containersOf = (uid: string) => engine.list(`colony.uid=${uid}`);

describe('ensure', () => {
  it('makes a slot run, and leaves it alone from then on', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(), 0);
    const [first] = await runtime.list(owner.uid);
    expect(first).toMatchObject({
      name: containerName(owner, 0, revision().digest),
      slot: 0,
      state: 'running',
      ready: true,
      generation: 1,
      owner,
    });
    const before = await snapshot(engine, [first!.id]);
    await runtime.ensure(owner, revision(), 0);
    await installation.runtime().ensure(owner, revision(), 0);
    await expectUntouched(engine, before);
    expect(await containersOf(owner.uid)).toHaveLength(1);
  });

  it('called at once by several agents, makes one container', async () => {
    const owner = newOwner();
    await Promise.all(Array.from({ length: 5 }, () => installation.runtime().ensure(owner, revision(), 0)));
    expect(await containersOf(owner.uid)).toMatchObject([{ State: 'running' }]);
  });

  it('starts what was made but never started, or has ended, in place', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    await engine.kill(id);
    await until(async () => (await runtime.list(owner.uid))[0]?.state === 'exited');
    await runtime.ensure(owner, revision(), 0);
    expect(await runtime.list(owner.uid)).toMatchObject([{ id, state: 'running', exit: { code: 137, signal: 'SIGKILL' } }]);
  });

  it('wakes up what was paused', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    await engine.pause(id);
    expect(await runtime.list(owner.uid)).toMatchObject([{ state: 'paused', ready: false }]);
    await runtime.ensure(owner, revision(), 0);
    expect(await runtime.list(owner.uid)).toMatchObject([{ id, state: 'running' }]);
  });

  it('gives back the name of what was renamed', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(), 0);
    const [{ id, name } = { id: '', name: '' }] = await runtime.list(owner.uid);
    await engine.rename(id, `renamed-${owner.uid}`);
    await installation.runtime().ensure(owner, revision(), 0);
    expect(await runtime.list(owner.uid)).toMatchObject([{ id, name }]);
    expect(await containersOf(owner.uid)).toHaveLength(1);
  });

  it('makes again what was removed by hand', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    await engine.remove(id);
    await runtime.ensure(owner, revision(), 0);
    const [second] = await runtime.list(owner.uid);
    expect(second).toMatchObject({ state: 'running' });
    expect(second?.id).not.toBe(id);
  });

  it('keeps revisions and slots apart', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await Promise.all([
      runtime.ensure(owner, revision(), 0),
      runtime.ensure(owner, revision(), 1),
      runtime.ensure(owner, revision({ env: { A: '1' } }, 'newer'), 0),
    ]);
    const seen = await runtime.list(owner.uid);
    expect(seen.map(({ slot }) => slot)).toEqual([0, 0, 1]);
    expect(new Set(seen.map(({ digest }) => digest))).toEqual(new Set(['newer', revision().digest]));
  });
});

describe('strangers', () => {
  it('holding our name keep it; ours gets the next one, and is found under it', async () => {
    const owner = newOwner();
    const names = [1, 2, 3].map((turn) => containerName(owner, 0, revision().digest, turn));
    const strangers = [await installation.stranger(names[0]), await installation.stranger(names[1])];
    const before = await snapshot(engine, strangers);
    await installation.runtime().ensure(owner, revision(), 0);
    await installation.runtime().ensure(owner, revision(), 0);
    expect(await installation.runtime().list(owner.uid)).toMatchObject([{ name: names[2], state: 'running' }]);
    await expectUntouched(engine, before);
  });

  it('with our labels but another owner, cluster or node, or labels that make no sense, are never seen nor touched', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const ours = {
      'colony.cluster': installation.cluster,
      'colony.node': NODE,
      'colony.uid': owner.uid,
      'colony.resource': owner.resource,
      'colony.name': owner.name,
      'colony.slot': '0',
      'colony.digest': revision().digest,
      'colony.generation': '1',
    };
    const strangers = await Promise.all([
      installation.stranger(undefined, { ...ours, 'colony.uid': 'another' }),
      installation.stranger(undefined, { ...ours, 'colony.cluster': 'another' }),
      installation.stranger(undefined, { ...ours, 'colony.node': 'another' }),
      installation.stranger(undefined, { ...ours, 'colony.slot': '-1' }),
      installation.stranger(undefined, { ...ours, 'colony.slot': '0x1' }),
      installation.stranger(undefined, { ...ours, 'colony.digest': '' }),
      installation.stranger(undefined, {}),
    ]);
    const before = await snapshot(engine, strangers);
    expect(await runtime.list(owner.uid)).toEqual([]);
    for (const id of strangers) {
      await runtime.remove(owner.uid, id, AT_ONCE);
      await runtime.restart(owner.uid, id, AT_ONCE);
    }
    await runtime.ensure(owner, revision(), 0);
    expect(await runtime.list(owner.uid)).toHaveLength(1);
    await expectUntouched(engine, before);
  });
});

describe('remove', () => {
  it('ends with the signal asked for, and comes back when it is gone', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(shell('trap "exit 0" USR1; echo listening; while :; do sleep 0.1; done')), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    await until(async () => (await engine.logs(id)).includes('listening'));
    const begun = Date.now();
    await runtime.remove(owner.uid, id, { signal: 'SIGUSR1', graceSeconds: 170 });
    expect(Date.now() - begun).toBeLessThan(120_000);
    expect(await engine.inspect(id)).toBeUndefined();
    await runtime.remove(owner.uid, id, AT_ONCE);
  });

  it('kills what ignores the signal once its grace is over', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(shell('trap "" TERM; echo deaf; while :; do sleep 0.1; done')), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    await until(async () => (await engine.logs(id)).includes('deaf'));
    const begun = Date.now();
    await runtime.remove(owner.uid, id, { signal: 'SIGTERM', graceSeconds: 1 });
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1_000);
    expect(Date.now() - begun).toBeLessThan(60_000);
    expect(await engine.inspect(id)).toBeUndefined();
  });

  it('ends it in the manner that it was made with, when nobody says how', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const deaf = shell('trap "" TERM; trap "exit 0" USR1; echo listening; while :; do sleep 0.1; done');
    await runtime.ensure(owner, revision({ ...deaf, stop: { signal: 'SIGUSR1', graceSeconds: 170 } }), 0);
    await runtime.ensure(owner, revision({ ...deaf, stop: { signal: 'SIGTERM', graceSeconds: 1 } }), 1);
    const ids = (await runtime.list(owner.uid)).map(({ id }) => id);
    for (const id of ids) await until(async () => (await engine.logs(id)).includes('listening'));
    const since = Date.now();
    await Promise.all(ids.map((id) => installation.runtime().remove(owner.uid, id)));
    expect(Date.now() - since).toBeLessThan(9_000);
    expect(await runtime.list(owner.uid)).toEqual([]);
  });

  it('also removes what is paused, has ended, or is being removed by somebody else', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await Promise.all([0, 1, 2].map((slot) => runtime.ensure(owner, revision(), slot)));
    const [paused, ended, leaving] = (await runtime.list(owner.uid)).map(({ id }) => id);
    await engine.pause(paused!);
    await engine.kill(ended!);
    // Whoever comes second is told that the other one is at it, or that it is gone.
    const removal = engine.remove(leaving!).catch(({ message }: Error) => expect(message).toMatch(/in progress|no such container/i));
    await Promise.all([paused, ended, leaving].map((id) => runtime.remove(owner.uid, id!, { signal: 'SIGTERM', graceSeconds: 5 })));
    await removal;
    expect(await containersOf(owner.uid)).toEqual([]);
  });

  it('keeps named volumes', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const volume = `colony-test-${owner.uid}`;
    const mounts = [{ type: 'volume', source: volume, target: '/data', readOnly: false }] as const;
    await runtime.ensure(owner, revision({ ...shell('echo kept >> /data/file; exec stay'), mounts }), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    await until(async () => (await engine.exec(id, ['cat', '/data/file'])).said === 'kept\n');
    await runtime.remove(owner.uid, id, AT_ONCE);
    await runtime.ensure(owner, revision({ mounts }), 1);
    const [{ id: second } = { id: '' }] = await runtime.list(owner.uid);
    expect(await engine.exec(second, ['cat', '/data/file'])).toMatchObject({ said: 'kept\n' });
    await runtime.remove(owner.uid, second, AT_ONCE);
    await engine.call('DELETE', `/volumes/${volume}`);
  });
});

describe('restart', () => {
  it('starts the same container again', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(), 0);
    const [before] = await runtime.list(owner.uid);
    await runtime.restart(owner.uid, before!.id, { signal: 'SIGTERM', graceSeconds: 5 });
    const [after] = await runtime.list(owner.uid);
    expect(after).toMatchObject({ id: before!.id, state: 'running', exit: { code: 0 } });
    expect(Date.parse(after!.startedAt!)).toBeGreaterThan(Date.parse(before!.startedAt!));
  });
});

describe('what is seen', () => {
  it('of an end: its code, when, and the last words', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(shell('for i in $(seq 1 30); do echo line $i; done; echo boom; exit 3')), 0);
    const ended = await until(async () => (await runtime.list(owner.uid)).find(({ state }) => state === 'exited'));
    expect(ended).toMatchObject({ ready: false, exit: { code: 3 } });
    expect(ended.exit?.log?.split('\n')).toHaveLength(10);
    expect(ended.exit?.log).toMatch(/boom$/);
  });

  it('of a clean end: no words', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(shell('echo done')), 0);
    const ended = await until(async () => (await runtime.list(owner.uid)).find(({ state }) => state === 'exited'));
    expect(ended.exit).toEqual({ code: 0, at: expect.any(String) });
  });

  it('of an end for want of memory', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const limits = { memoryBytes: 8 * 1024 ** 2, pids: 32 };
    await runtime.ensure(owner, revision({ ...shell('exec tail /dev/zero'), limits }), 0);
    // The engine tells the end and its cause one after the other.
    const ended = await until(async () => (await runtime.list(owner.uid)).find(({ exit }) => exit?.outOfMemory));
    expect(ended).toMatchObject({ state: 'exited', exit: { code: 137, signal: 'SIGKILL' } });
  });

  it('of a change by hand: what is different', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(), 0);
    const [{ id, handEdited } = { id: '', handEdited: 'nothing' }] = await runtime.list(owner.uid);
    expect(handEdited).toBeUndefined();
    await engine.update(id, { Memory: 64 * 1024 ** 2, MemorySwap: 64 * 1024 ** 2, RestartPolicy: { Name: 'always' } });
    const [edited] = await runtime.list(owner.uid);
    expect(edited?.handEdited).toMatch(/memory is 67108864 instead of 33554432.*restart policy is always instead of no/);
  });

  it('of a health check that its image brings along', async () => {
    const base = await engine.create();
    const check = encodeURIComponent('HEALTHCHECK --interval=100ms --retries=2 CMD test -e /healthy');
    const committed = await engine.call('POST', `/commit?container=${base}&repo=colony-test-health&tag=v1&changes=${check}`, {});
    expect(committed.status).toBe(201);
    await engine.remove(base);
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision({ image: 'colony-test-health:v1' }), 0);
    const [starting] = await runtime.list(owner.uid);
    expect(starting).toMatchObject({ state: 'running', ready: false });
    await until(async () => (await runtime.list(owner.uid))[0]?.unhealthy);
    await engine.exec(starting!.id, ['touch', '/healthy']);
    await until(async () => (await runtime.list(owner.uid))[0]?.ready);
    await installation.clear();
    await engine.removeImage('colony-test-health:v1');
  });

  it('of a network that somebody connected or took away', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await runtime.ensure(owner, revision(), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    await engine.call('POST', '/networks/bridge/disconnect', { Container: id });
    expect((await runtime.list(owner.uid))[0]?.handEdited).toContain('0 networks');
  });

  it('of everybody, by owner and slot', async () => {
    const runtime = installation.runtime();
    const owners = [newOwner('a'), newOwner('b')];
    await Promise.all(owners.map((owner) => runtime.ensure(owner, revision(), 0)));
    const seen = await runtime.list();
    expect(seen.map(({ owner }) => owner)).toEqual(owners.toSorted((a, b) => (a.uid < b.uid ? -1 : 1)));
  });
});

describe('ports', () => {
  it('are free ones for every slot but a fixed one', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const ports = [{ name: 'http', container: 80, protocol: 'tcp' }] as const;
    await Promise.all([0, 1, 2].map((slot) => runtime.ensure(owner, revision({ ports }), slot)));
    const bound = (await runtime.list(owner.uid)).flatMap(({ ports = [] }) => ports);
    expect(bound).toHaveLength(3);
    for (const port of bound)
      expect(port).toEqual({ name: 'http', container: 80, protocol: 'tcp', address: '127.0.0.1', host: expect.any(Number) });
    expect(new Set(bound.map(({ host }) => host)).size).toBe(3);
  });

  it('that are taken are a problem that goes away with its cause', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((ready) => server.once('listening', ready));
    const { port } = server.address() as { port: number };
    const wanted = revision({ ports: [{ container: 80, host: port, protocol: 'tcp' }] });
    await expect(runtime.ensure(owner, wanted, 0)).rejects.toMatchObject({
      name: 'Problem',
      reason: 'PortTaken',
      message: expect.stringContaining(`127.0.0.1:${port} is already in use on node ${NODE}`),
    });
    await new Promise((closed) => server.close(closed));
    await runtime.ensure(owner, wanted, 0);
    expect(await runtime.list(owner.uid)).toMatchObject([{ state: 'running', ports: [{ host: port }] }]);
    await expect(runtime.ensure(newOwner(), wanted, 0)).rejects.toMatchObject({ reason: 'PortTaken' });
  });
});

describe('what cannot be', () => {
  it('a command that is not in the image', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    await expect(runtime.ensure(owner, revision({ command: ['no-such-command'] }), 0)).rejects.toMatchObject({ reason: 'CommandNotFound' });
    const [made] = await runtime.list(owner.uid);
    expect(made).toMatchObject({ state: 'created', ready: false });
    expect(made?.handEdited).toBeUndefined();
    await expect(runtime.ensure(owner, revision({ command: ['no-such-command'] }), 0)).rejects.toMatchObject({ reason: 'CommandNotFound' });
  });

  it('something that the engine refuses', async () => {
    const refused = revision({ limits: { memoryBytes: 1024 } });
    await expect(installation.runtime().ensure(newOwner(), refused, 0)).rejects.toMatchObject({ reason: 'StartFailed' });
  });

  it.each([
    { name: 'privileges', asked: { privileged: true } },
    { name: 'capabilities', asked: { capabilities: ['SYS_ADMIN'] } },
    { name: "the node's network", asked: { network: 'host' } },
    { name: "another container's network", asked: { network: 'container:abc' } },
  ])('$name that the node does not allow', async ({ asked }) => {
    const owner = newOwner();
    await expect(installation.runtime().ensure(owner, revision(asked), 0)).rejects.toMatchObject({ reason: 'Blocked' });
    expect(await containersOf(owner.uid)).toEqual([]);
  });
});

describe('host paths', () => {
  it('are mounted below an allowed folder only', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colony-paths-'));
    const [inside, outside] = [join(folder, 'allowed', 'data'), join(folder, 'secret')];
    mkdirSync(inside, { recursive: true });
    mkdirSync(outside);
    writeFileSync(join(inside, 'file'), 'from the node');
    symlinkSync(outside, join(folder, 'allowed', 'way-out'));
    const runtime = installation.runtime({ hostPaths: [join(folder, 'allowed')] });
    const mounting = (source: string) => revision({ mounts: [{ type: 'path', source, target: '/data', readOnly: true }] });
    const owner = newOwner();
    try {
      for (const source of [
        outside,
        join(folder, 'allowed', 'way-out'),
        `${inside}/../../secret`,
        join(inside, 'missing'),
        '/',
        engineSocket,
      ]) {
        await expect(runtime.ensure(owner, mounting(source), 0), source).rejects.toMatchObject({ reason: 'Blocked' });
      }
      await expect(installation.runtime().ensure(owner, mounting(inside), 0)).rejects.toMatchObject({ reason: 'Blocked' });
      await runtime.ensure(owner, mounting(inside), 0);
      const [{ id } = { id: '' }] = await runtime.list(owner.uid);
      expect(await engine.exec(id, ['cat', '/data/file'])).toMatchObject({ said: 'from the node' });
      expect(await engine.exec(id, ['touch', '/data/more'])).not.toMatchObject({ code: 0 });
    } finally {
      await installation.clear();
      rmSync(folder, { recursive: true });
    }
  });

  it('never give away the socket of the engine, even below an allowed folder', async () => {
    const runtime = installation.runtime({ hostPaths: ['/'] });
    for (const source of [engineSocket, join(engineSocket, '..'), '/']) {
      const wanted = revision({ mounts: [{ type: 'path', source, target: '/data', readOnly: true }] });
      await expect(runtime.ensure(newOwner(), wanted, 0), source).rejects.toMatchObject({ reason: 'Blocked' });
    }
  });
});

describe('networks', () => {
  const networkNamed = async (name: string) => JSON.parse((await engine.call('GET', `/networks/${name}`)).body.toString());

  it('are made when missing, joined under the name of the owner, and go with the last instance', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner('shop')];
    const network = `net-${owner.uid}`;
    await Promise.all([0, 1].map((slot) => runtime.ensure(owner, revision({ network }), slot)));
    const [first, second] = await runtime.list(owner.uid);
    expect(await engine.exec(first!.id, ['ping', '-c1', '-W2', 'shop'])).toMatchObject({ said: expect.stringContaining('PING shop') });
    expect((await engine.exec(first!.id, ['nslookup', second!.name])).said).toContain(second!.name);
    expect(second?.handEdited).toBeUndefined();
    await runtime.remove(owner.uid, first!.id, AT_ONCE);
    expect(await networkNamed(network)).toMatchObject({ Name: network });
    await runtime.remove(owner.uid, second!.id, AT_ONCE);
    expect((await engine.call('GET', `/networks/${network}`)).status).toBe(404);
  });

  it('of others are joined and stay', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const network = `net-${owner.uid}`;
    await engine.call('POST', '/networks/create', { Name: network });
    await runtime.ensure(owner, revision({ network }), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    await runtime.remove(owner.uid, id, AT_ONCE);
    expect(await networkNamed(network)).toMatchObject({ Name: network });
    await engine.call('DELETE', `/networks/${network}`);
  });

  it('that went away while an instance was stopped are made again', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const network = `net-${owner.uid}`;
    await runtime.ensure(owner, revision({ network }), 0);
    const [{ id } = { id: '' }] = await runtime.list(owner.uid);
    await engine.stop(id);
    await engine.call('DELETE', `/networks/${network}`);
    await runtime.ensure(owner, revision({ network }), 0);
    const [again] = await runtime.list(owner.uid);
    expect(again).toMatchObject({ state: 'running' });
    await runtime.remove(owner.uid, again!.id, AT_ONCE);
  });

  it('stay while a stopped instance needs them', async () => {
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const network = `net-${owner.uid}`;
    await Promise.all([0, 1].map((slot) => runtime.ensure(owner, revision({ network }), slot)));
    const [stopped, removed] = await runtime.list(owner.uid);
    await engine.stop(stopped!.id);
    await runtime.remove(owner.uid, removed!.id, AT_ONCE);
    await runtime.ensure(owner, revision({ network }), 0);
    expect(await runtime.list(owner.uid)).toMatchObject([{ id: stopped!.id, state: 'running' }]);
    await runtime.remove(owner.uid, stopped!.id, AT_ONCE);
    expect((await engine.call('GET', `/networks/${network}`)).status).toBe(404);
  });
});

describe('a container', () => {
  it('is hardened unless node and template agree on less', async () => {
    const [runtime, owner] = [installation.runtime({ capabilities: ['NET_BIND_SERVICE'] }), newOwner()];
    const asked = {
      capabilities: ['CAP_NET_BIND_SERVICE'],
      limits: { cpus: 0.5 },
      labels: { 'colony.uid': 'mine', team: 'a' },
      env: { A: '1', COLONY_SLOT: '9' },
    };
    await runtime.ensure(owner, revision(asked), 0);
    const [{ id, name } = { id: '', name: '' }] = await runtime.list(owner.uid);
    const { HostConfig, Config } = (await engine.inspect(id))!;
    expect(HostConfig).toMatchObject({
      Privileged: false,
      CapDrop: ['ALL'],
      CapAdd: ['NET_BIND_SERVICE'],
      SecurityOpt: ['no-new-privileges'],
      Memory: 1024 ** 3,
      MemorySwap: 1024 ** 3,
      NanoCpus: 5e8,
      PidsLimit: 512,
      RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
      LogConfig: { Type: 'json-file', Config: { 'max-size': String(10 * 1024 ** 2), 'max-file': '3' } },
      NetworkMode: 'default',
      IpcMode: 'private',
      PidMode: '',
      UTSMode: '',
      UsernsMode: '',
      Binds: null,
      PublishAllPorts: false,
      Init: false,
    });
    expect(HostConfig.MaskedPaths).toContain('/proc/kcore');
    expect(HostConfig.ReadonlyPaths).toContain('/proc/sys');
    expect(Config).toMatchObject({ Hostname: name, Labels: { 'colony.uid': owner.uid, team: 'a' } });
    expect(Config.Env).toEqual(
      expect.arrayContaining(['A=1', 'COLONY_SLOT=0', `COLONY_INSTANCE=${name}`, `COLONY_RESOURCE=${owner.resource}`]),
    );
  });
});
