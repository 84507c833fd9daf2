import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Problem, Unreachable } from '../../../activities/runtimes/runtime.ts';
import { NodeDoorClient, type RemoteExec } from './client.ts';
import { MAX_FRAME_BYTES } from './frames.ts';
import { DoorTaken } from './listen.ts';
import { askRuntimes } from './runtimes.ts';
import { type NodeDoor, serveNodeDoor } from './serve.ts';
import { FakeRuntime } from './test-double/runtime.ts';

const log = { info: () => {}, warn: () => {} };
let folder: string;
let path: string;
let runtime: FakeRuntime;
let door: NodeDoor;
let client: NodeDoorClient;

const serve = () => serveNodeDoor({ path, runtimes: new Map([['local', runtime]]), log });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'door-'));
  path = join(folder, 'node-a.sock');
  runtime = new FakeRuntime();
  door = await serve();
  client = new NodeDoorClient(path);
});
afterEach(async () => {
  await door.close();
  rmSync(folder, { recursive: true, force: true });
});

const plain = { follow: false, previous: false, timestamps: false, signal: new AbortController().signal };

async function allOf(output: AsyncIterable<{ stream: string; data: Uint8Array }>): Promise<Record<string, string>> {
  const said: Record<string, string> = {};
  for await (const { stream, data } of output) said[stream] = (said[stream] ?? '') + Buffer.from(data).toString();
  return said;
}

const sh = (script: string, more: object = {}): Promise<RemoteExec> =>
  client.exec('local', 'x', { command: ['sh', '-c', script], tty: false, stdin: false, ...more });

describe('the socket', () => {
  it('is for our own user only, and gone after the end', async () => {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await door.close();
    expect(() => statSync(path)).toThrow();
    await expect(client.instances()).rejects.toMatchObject({ code: 'NoNodeAgent' });
  });

  it('is not stolen from a living agent', async () => {
    await expect(serve()).rejects.toBeInstanceOf(DoorTaken);
    expect(await client.instances()).toEqual({ instances: [], unreachable: [] });
  });

  it('is taken over from one that was killed', async () => {
    await door.close();
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await once(spawn(process.execPath, ['-e', script]), 'exit');
    expect(statSync(path).isSocket()).toBe(true);
    door = await serve();
    expect(await client.instances()).toEqual({ instances: [], unreachable: [] });
    await door.close();
    writeFileSync(path, 'no socket at all');
    door = await serve();
    expect((await client.instances()).instances).toEqual([]);
  });
});

describe('runtimes', () => {
  it('are all named, with why one does not answer', async () => {
    expect(await client.runtimes()).toEqual([{ runtime: 'local' }]);
    runtime.trouble = new Unreachable('the engine does not answer');
    expect(await client.runtimes()).toEqual([{ runtime: 'local', message: 'the engine does not answer' }]);
  });

  it('that hang do not hold the answer up, nor does an agent that does', async () => {
    let release = (): void => {};
    runtime.list = () =>
      new Promise((resolve) => {
        release = () => resolve([]);
      });
    expect(await askRuntimes(new Map([['local', runtime]]), 20)).toEqual({
      runtimes: [{ runtime: 'local', message: 'no answer in 0.02 s' }],
    });
    await expect(client.runtimes(50)).rejects.toMatchObject({ code: 'Lost' });
    release();
  });
});

describe('logs', () => {
  it('keep the streams apart and pass the options on', async () => {
    runtime.says('c/1', 'out\n', 'err\n');
    expect(await allOf(client.logs('local', 'c/1', { ...plain, tail: 5, timestamps: true }))).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    expect(runtime.asked[0]).toMatchObject({ id: 'c/1', options: { tail: 5, timestamps: true, follow: false, previous: false } });
  });

  it('carry more than a frame, and wait for a slow reader', async () => {
    const large = 'x'.repeat(3 * MAX_FRAME_BYTES + 7);
    runtime.says('a', large);
    let bytes = 0;
    for await (const { data } of client.logs('local', 'a', plain)) {
      bytes += data.length;
      await new Promise((wake) => setTimeout(wake, 5));
    }
    expect(bytes).toBe(large.length);
  });

  it('are followed until the reader goes, and the runtime hears of it', async () => {
    const reading = new AbortController();
    let heard: AbortSignal | undefined;
    runtime.says('a', 'one\n').afterLogs = (signal) => {
      heard = signal;
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    for await (const _ of client.logs('local', 'a', { ...plain, follow: true, signal: reading.signal })) reading.abort();
    await expect.poll(() => heard?.aborted).toBe(true);
  });

  it('say what went wrong, before and after the first word', async () => {
    runtime.trouble = new Unreachable('the engine does not answer');
    await expect(allOf(client.logs('local', 'a', plain))).rejects.toMatchObject({
      code: 'Unreachable',
      message: 'the engine does not answer',
    });
    runtime.trouble = undefined;
    runtime.says('a', 'one\n').afterLogs = async () => {
      runtime.trouble = new Error('it broke');
    };
    await expect(allOf(client.logs('local', 'a', { ...plain, follow: true }))).rejects.toMatchObject({
      code: 'Failed',
      message: 'it broke',
    });
  });

  it('end when the door is closed', async () => {
    runtime.says('a', 'one\n');
    const reading = allOf(client.logs('local', 'a', { ...plain, follow: true }));
    reading.catch(() => {});
    await expect.poll(() => runtime.asked.length).toBe(1);
    await door.close();
    await expect(reading).rejects.toMatchObject({ code: 'Lost' });
  });
});

describe('exec', () => {
  it('brings output and exit code', async () => {
    const exec = await sh('echo out; echo err >&2; exit 3');
    expect(await allOf(exec.output)).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    expect(await exec.exitCode).toBe(3);
  });

  it('carries input to its end, and sizes', async () => {
    const exec = await sh('cat; echo done', { stdin: true });
    await exec.resize(24, 80);
    exec.write(Buffer.from('a'.repeat(100_000)));
    await exec.drained();
    exec.endInput();
    const { stdout = '' } = await allOf(exec.output);
    expect([stdout.length, stdout.slice(-6)]).toEqual([100_005, 'adone\n']);
    expect([await exec.exitCode, runtime.resized]).toEqual([0, [[24, 80]]]);
  });

  it('carries much output whole', async () => {
    const exec = await sh('head -c 5000000 /dev/zero');
    expect((await allOf(exec.output)).stdout?.length).toBe(5_000_000);
  });

  it('does not wait for what the command left running', async () => {
    const exec = await sh('sleep 30 & echo $!; exit 4');
    const { stdout = '' } = await allOf(exec.output);
    expect(await exec.exitCode).toBe(4);
    process.kill(Number(stdout));
  });

  it('ends the input of a command whose caller is gone', async () => {
    const file = join(folder, 'ended');
    const exec = await sh(`cat >/dev/null; echo yes > ${file}`, { stdin: true });
    exec.write(Buffer.from('x'));
    setTimeout(() => exec.close(), 50);
    await allOf(exec.output);
    await expect(exec.exitCode).rejects.toMatchObject({ code: 'Lost' });
    await expect.poll(() => statSync(file, { throwIfNoEntry: false })?.size).toBe(4);
  });

  it('lets the runtime end a command that reads nothing and says nothing, when the caller is gone', async () => {
    runtime.endsCommands = true;
    const exec = await sh('echo $$; exec sleep 100');
    let pid = 0;
    for await (const { data } of exec.output) {
      pid = Number(Buffer.from(data).toString());
      break;
    }
    await expect.poll(() => spawnSync('kill', ['-0', String(pid)]).status).toBe(1);
  });

  it('says what went wrong', async () => {
    runtime.trouble = new Problem('CommandNotFound', 'there is no such command');
    const exec = await sh('true');
    expect(await allOf(exec.output)).toEqual({});
    await expect(exec.exitCode).rejects.toMatchObject({ code: 'CommandNotFound', message: 'there is no such command' });
    await expect(client.exec('docker', 'x', { command: ['true'], tty: false, stdin: false })).rejects.toMatchObject({
      code: 'RuntimeUnavailable',
      message: 'this node has no runtime "docker"; it has local',
    });
    const empty = await client.exec('local', 'x', { command: [], tty: false, stdin: false });
    await allOf(empty.output);
    await expect(empty.exitCode).rejects.toMatchObject({ code: 'BadRequest' });
  });
});

describe('lists and stats', () => {
  it('name instances of an owner or of all, and what could not be asked', async () => {
    runtime.add(0).add(1, { owner: { uid: 'other', resource: 'r', name: 'n' } });
    expect((await client.instances()).instances.map(({ slot, runtime: name }) => [slot, name])).toEqual([
      [0, 'local'],
      [1, 'local'],
    ]);
    expect((await client.instances('uid-web')).instances).toHaveLength(1);
    runtime.trouble = new Unreachable('no engine');
    expect(await client.instances()).toEqual({ instances: [], unreachable: [{ runtime: 'local', message: 'no engine' }] });
  });

  it('answer for the ids that were asked for', async () => {
    runtime.usage = [
      { id: 'a', cpus: 0.5, memoryBytes: 1 },
      { id: 'b', cpus: 1, memoryBytes: 2 },
    ];
    expect(await client.stats('local', ['b', 'c'])).toEqual([{ id: 'b', cpus: 1, memoryBytes: 2 }]);
    expect(await client.stats('local', [])).toEqual([]);
  });

  it.each([
    ['GET', '/v2', 404],
    ['GET', '/v1/instances/docker/x/logs', 404],
    ['GET', '/v1/instances/local/x/logs?tail=many', 400],
    ['POST', '/v1/instances/local/x/logs', 405],
    ['POST', '/v1/instances/local/x/exec', 426],
    ['GET', '/v1/stats?runtime=none&ids=a', 404],
  ])('%s %s is refused with %i and a sentence', async (method, target, status) => {
    const asking = request({ socketPath: path, method, path: target }).end();
    const [response] = await once(asking, 'response');
    const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
    expect([response.statusCode, typeof body.reason, body.message.length > 10]).toEqual([status, 'string', true]);
  });
});
