import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProbeCheck } from '../../../definitions/core/template.ts';
import { atOnce, eventually, LocalStage } from '../../../test/support/local/stage.ts';
import type { ExecRequest, ExecSession, Seen } from '../runtime.ts';
import { identify } from './process-identity.ts';

let stage: LocalStage;
beforeEach(() => {
  stage = new LocalStage();
});
afterEach(() => stage.clear());

const SERVER = `require('node:http').createServer((q, a) => {
  if (q.url === '/slow') return;
  a.writeHead(q.url === '/bad' ? 500 : q.url === '/moved' ? 302 : 200).end(q.headers.who ?? '');
}).listen(process.env.PORT, '127.0.0.1', () => console.log('ready'))`;

async function textOf({ output }: ExecSession): Promise<string> {
  let text = '';
  for await (const { stream, data } of output) text += `${stream === 'stderr' ? '!' : ''}${Buffer.from(data)}`;
  return text;
}

describe('exec', () => {
  const plain: ExecRequest = { command: [], tty: false, stdin: false };
  const start = (): Promise<Seen> => stage.start(stage.shell('sleep 100', { env: { COLOUR: 'red' } }));

  it('runs beside the instance, in its environment and folder', async () => {
    const { id, name } = await start();
    const command = ['sh', '-c', 'echo $COLOUR $COLONY_INSTANCE; basename $PWD; exit 5'];
    const session = await stage.runtime.exec(id, { ...plain, command });
    expect(await textOf(session)).toBe(`red ${name}\nwork\n`);
    expect(await session.exitCode).toBe(5);
  });

  it('takes input', async () => {
    const session = await stage.runtime.exec((await start()).id, { command: ['cat'], tty: false, stdin: true });
    session.write(Buffer.from('hello'));
    session.endInput();
    expect(await textOf(session)).toBe('hello');
    expect(await session.exitCode).toBe(0);
  });

  it('lends a terminal', async () => {
    const session = await stage.runtime.exec((await start()).id, {
      command: ['sh', '-c', "tty; echo it\\'s; exit 6"],
      tty: true,
      stdin: true,
    });
    expect(await textOf(session)).toMatch(/^\/dev\/(pts\/\d+|tty\w+)\r\nit's\r\n/);
    expect(await session.exitCode).toBe(6);
  });

  it('ends when whoever asked is gone', async () => {
    const gone = new AbortController();
    const session = await stage.runtime.exec((await start()).id, { ...plain, command: ['sleep', '100'], signal: gone.signal });
    gone.abort();
    expect(await session.exitCode).toBe(137);
  });

  it('ends with the instance', async () => {
    const { id } = await start();
    const session = await stage.runtime.exec(id, { ...plain, command: ['sleep', '100'] });
    await stage.runtime.remove(stage.owner.uid, id, atOnce);
    expect(await session.exitCode).toBe(137);
  });

  it('needs a command that is there and an instance that runs', async () => {
    const { id } = await start();
    await expect(stage.runtime.exec(id, { ...plain, command: ['no-such-command'] })).rejects.toMatchObject({ reason: 'CommandNotFound' });
    process.kill(-stage.leader(await stage.only()), 'SIGKILL');
    await stage.until(({ state }) => state === 'exited');
    await expect(stage.runtime.exec(id, { ...plain, command: ['true'] })).rejects.toThrow('does not run');
  });
});

describe('probes', () => {
  const http = (path: string): ProbeCheck => ({ type: 'http', port: 80, path, scheme: 'http', headers: {} });

  it('ask where the instance listens on this node', async () => {
    const ports = [{ container: 80, protocol: 'tcp' }] as const;
    const seen = await stage.start(stage.revision([process.execPath, '-e', SERVER], { ports }));
    await stage.said(seen, /ready/);
    const ask = (check: ProbeCheck, timeoutMs = 5_000): Promise<void> => stage.runtime.probe(seen.id, check, timeoutMs);
    await ask(http('/'));
    await ask(http('/moved'));
    await ask({ type: 'tcp', port: 80 });
    await expect(ask(http('/bad'))).rejects.toThrow('http port 80 answered 500');
    await expect(ask(http('/slow'), 100)).rejects.toThrow('http port 80 did not answer in 0.1 s');
    await expect(ask({ type: 'tcp', port: 1 })).rejects.toThrow('tcp port 1 does not answer (ECONNREFUSED)');
    await expect(ask({ type: 'taskQueue', queue: 'q' })).rejects.toThrow('not probed here');
  });

  it('run commands, and end those that take too long', async () => {
    const { id } = await stage.start(stage.shell('sleep 100', { env: { A: '1' } }));
    const ask = (script: string, timeoutMs = 5_000): Promise<void> =>
      stage.runtime.probe(id, { type: 'exec', command: ['sh', '-c', script] }, timeoutMs);
    await ask('test "$A" = 1');
    await expect(ask('echo first; echo broken >&2; exit 3')).rejects.toThrow('the command ended with 3: broken');
    await expect(ask('(sleep 0.05; echo broken >&2) & echo first; exit 3')).rejects.toThrow('the command ended with 3: broken');
    await expect(ask('sleep 100 & echo said; exit 3')).rejects.toThrow('the command ended with 3: said');
    await expect(ask('sleep 100 & wait', 100)).rejects.toThrow('the command did not end in 0.1 s');
  });
});

describe('probes that hang', () => {
  it('leave no process behind', async () => {
    const seen = await stage.start(stage.shell('sleep 100'));
    const pids = stage.path(seen, 'work', 'pids');
    const check: ProbeCheck = { type: 'exec', command: ['sh', '-c', `sleep 98763 & echo $! $$ > ${pids}; wait`] };
    await expect(stage.runtime.probe(seen.id, check, 300)).rejects.toThrow('the command did not end in 0.3 s');
    const left = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
    expect(left).toHaveLength(2);
    await eventually(() => (left.some((pid) => identify(pid)) ? undefined : true));
  });
});

describe('stats', () => {
  it('sum up every process of the instance', async () => {
    const busy = await stage.start(stage.shell('sleep 100 & while :; do :; done'));
    const idle = await stage.start(stage.shell('exec sleep 100'), 1);
    const [first, second, ...others] = await stage.runtime.stats([busy.id, idle.id, 'local-0000000000-0-00000000']);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ id: busy.id, pids: 2 });
    expect(first!.cpus).toBeGreaterThan(0.02);
    expect(second).toMatchObject({ id: idle.id, pids: 1, cpus: 0 });
    expect(second!.memoryBytes).toBeGreaterThan(100_000);
  });
});

it('knows no images', async () => {
  const answer = await stage.runtime.resolveImage('nginx', 'Always', () => undefined, AbortSignal.timeout(1_000));
  expect(answer).toMatchObject({ image: 'nginx', problem: { reason: 'RuntimeUnavailable' } });
});
