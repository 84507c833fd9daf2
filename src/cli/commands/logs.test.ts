import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Seen } from '../../../activities/runtimes/runtime.ts';
import { run } from '../run.ts';
import { appColony, type FakeNode, openNode, putApp, report } from '../test-double/app.ts';
import type { FakeColony } from '../test-double/colony.ts';
import { fakeIo } from '../test-double/io.ts';
import { colonyCli } from '../test-double/run.ts';

let node: FakeNode;
let colony: FakeColony;
beforeEach(async () => {
  node = await openNode();
  colony = appColony({ instances: [report(0), report(1)] });
});
afterEach(() => node.close());

const cli = (argv: readonly string[], more = {}) => colonyCli(colony, argv, { env: node.env, ...more });

describe('colony logs', () => {
  it('passes the bytes of one instance on as they are, streams apart', async () => {
    node.runtime.add(0).says('id-0-d1d1d1d1', 'one\r\n\u001b[2J half', 'bad\n');
    expect(await cli(['logs', 'app/web'])).toEqual({ code: 0, out: 'one\r\n\u001b[2J half', err: 'bad\n' });
  });

  it('prefixes whole lines by the slot when there are several, by the name while two share it', async () => {
    node.runtime.add(0).add(1).says('id-0-d1d1d1d1', 'a\nb').says('id-1-d1d1d1d1', 'c\n');
    const { out } = await cli(['logs', 'app/web']);
    expect(out.split('\n').sort()).toEqual(['', '[0] a', '[0] b', '[1] c']);
    node.runtime.add(1, { digest: 'd2d2d2d2' }).says('id-1-d2d2d2d2', 'd\n');
    expect((await cli(['logs', 'app/web'])).out).toContain('[web-0123456789-1-d2d2d2d2] d\n');
  });

  it('takes one by slot, name or the beginning of its id, and says which there are', async () => {
    node.runtime.add(0).add(1).says('id-1-d1d1d1d1', 'mine\n');
    for (const which of ['1', 'web-0123456789-1-d1d1d1d1', 'id-1'])
      expect((await cli(['logs', 'app/web', '--instance', which])).out).toBe('mine\n');
    expect(await cli(['logs', 'app/web', '--instance', '7'])).toEqual({
      code: 2,
      out: '',
      err: 'error: app.example.com/web has no instance "7"\nIt has slots 0, 1; a name or an id is good too.\n',
    });
  });

  it('hands the options on', async () => {
    await node.close();
    node = await openNode('docker');
    node.runtime.add(0);
    await cli(['logs', 'app/web', '--tail', '0', '--previous', '--timestamps']);
    expect(node.runtime.asked[0]?.options).toMatchObject({ tail: 0, previous: true, timestamps: true, follow: false });
    expect((await cli(['logs', 'app/web', '--tail', 'few'])).code).toBe(2);
  });

  it('refuses to tell the times of what a process wrote to its files itself', async () => {
    node.runtime.add(0).says('id-0-d1d1d1d1', 'one\n');
    expect(await cli(['logs', 'app/web', '--timestamps'])).toEqual({
      code: 2,
      out: '',
      err: 'error: --timestamps is not for runtime local: a process writes to its files itself, and nobody notes when\n',
    });
    expect(node.runtime.asked).toEqual([]);
  });

  it('follows until Ctrl-C, which is no failure', async () => {
    node.runtime.add(0).says('id-0-d1d1d1d1', 'one\n');
    const io = fakeIo({ env: node.env });
    const running = run(['logs', 'app/web', '-f'], io, async () => colony);
    await expect.poll(() => io.stdout()).toBe('one\n');
    io.interrupt();
    expect(await running).toBe(0);
  });

  it('follows also what comes later: another instance, and the next life of one', async () => {
    node.runtime.add(0).says('id-0-d1d1d1d1', 'one\n').afterLogs = async () => {};
    const io = fakeIo({ env: node.env });
    const running = run(['logs', 'app/web', '-f', '--tail', '5'], io, async () => colony);
    await expect.poll(() => io.stdout()).toBe('one\n');
    node.runtime.says('id-1-d1d1d1d1', 'two\n').add(1);
    await expect.poll(() => io.stdout()).toBe('one\n[1] two\n');
    const [first, ...others] = node.runtime.seen;
    node.runtime.says('id-0-d1d1d1d1', 'again\n').seen = [{ ...first!, startedAt: '2026-03-01T12:00:00Z' }, ...others];
    await expect.poll(() => io.stdout()).toBe('one\n[1] two\n[0] again\n');
    expect(
      node.runtime.asked.map(({ options }) => options.tail),
      'the tail is of what was there',
    ).toEqual([5, undefined, undefined]);
    io.interrupt();
    expect([await running, io.stderr()]).toEqual([0, '']);
  });

  it('says once what one says that was being started when it was first seen', async () => {
    node.runtime.add(0).says('id-0-d1d1d1d1', 'one\n').afterLogs = async () => {};
    const io = fakeIo({ env: node.env });
    const running = run(['logs', 'app/web', '-f'], io, async () => colony);
    await expect.poll(() => io.stdout()).toBe('one\n');
    node.runtime.says('id-1-d1d1d1d1', 'two\n').add(1);
    const [first, { startedAt, ...starting }] = node.runtime.seen as [Seen, Seen];
    const looks = node.runtime.looks;
    node.runtime.seen = [first, starting];
    await expect.poll(() => node.runtime.looks).toBeGreaterThan(looks + 1);
    node.runtime.seen = [first, { ...starting, startedAt: startedAt! }];
    await expect.poll(() => io.stdout()).toContain('two');
    const after = node.runtime.looks;
    await expect.poll(() => node.runtime.looks).toBeGreaterThan(after + 1);
    expect(io.stdout()).toBe('one\n[1] two\n');
    io.interrupt();
    expect(await running).toBe(0);
  });

  it('follows one slot through its lives, and no other', async () => {
    node.runtime.add(0).says('id-0-d1d1d1d1', 'mine\n').afterLogs = async () => {};
    const io = fakeIo({ env: node.env });
    const running = run(['logs', 'app/web', '-f', '--instance', '0'], io, async () => colony);
    await expect.poll(() => io.stdout()).toBe('mine\n');
    node.runtime.says('id-1-d1d1d1d1', 'not mine\n').says('id-0-d2d2d2d2', 'next\n').add(1);
    node.runtime.seen = node.runtime.seen.slice(1);
    node.runtime.add(0, { digest: 'd2d2d2d2' });
    await expect.poll(() => io.stdout()).toBe('mine\nnext\n');
    io.interrupt();
    expect(await running).toBe(0);
  });

  it.each([
    { name: 'is gone', end: () => colony.stored.clear() },
    { name: 'has done its work', end: () => putApp(colony, { instances: [report(0, { state: 'finished' })] }) },
  ])('stops following when the resource $name', async ({ end }) => {
    node.runtime.add(0).says('id-0-d1d1d1d1', 'bye\n').afterLogs = async () => {};
    const io = fakeIo({ env: node.env });
    const running = run(['logs', 'app/web', '-f'], io, async () => colony);
    await expect.poll(() => io.stdout()).toBe('bye\n');
    end();
    expect([await running, io.stdout(), io.stderr()]).toEqual([0, 'bye\n', '']);
  });

  it('shows on a terminal what the terminal would obey, but keeps colours', async () => {
    node.runtime.add(0).says('id-0-d1d1d1d1', '\u001b[31mred\u001b[0m \u001b[2J\r\n');
    expect((await cli(['logs', 'app/web'], { outIsTerminal: true })).out).toBe('\u001b[31mred\u001b[0m \\x1b[2J\n');
  });

  it('prints JSON a line each', async () => {
    node.runtime.add(0).says('id-0-d1d1d1d1', '', 'oh\n');
    const { out } = await cli(['logs', 'app/web', '-o', 'json']);
    expect(JSON.parse(out)).toEqual({ instance: 'web-0123456789-0-d1d1d1d1', slot: 0, node: 'a', stream: 'stderr', line: 'oh' });
  });

  it('says so when instances are on another node', async () => {
    colony = appColony({ instances: [report(0), report(1, { node: 'b' }), report(2, { node: 'b' })] });
    node.runtime.add(0).says('id-0-d1d1d1d1', 'here\n');
    expect(await cli(['logs', 'app/web'])).toEqual({
      code: 0,
      out: 'here\n',
      err: 'note: slots 1, 2 of app.example.com/web are on node b; logs works only on that node for now\n',
    });
    expect(await cli(['logs', 'app/web', '--instance', '1'])).toMatchObject({
      code: 1,
      err: 'error: slot 1 of app.example.com/web is on node b; logs works only on that node for now\n',
    });
  });

  it('explains an agent that is not there, and a resource without instances', async () => {
    expect((await cli(['logs', 'app/web'])).err).toBe('error: app.example.com/web has no instances\nSee why: colony describe app/web\n');
    const { code, err } = await colonyCli(colony, ['logs', 'app/web'], { env: { COLONY_HOME: '/nowhere', COLONY_NODE: 'a' } });
    expect([code, err.split('\n')[0]]).toEqual([1, 'error: no node agent answers here (/nowhere/node-a.sock)']);
  });

  it('says that the runtime cannot be asked, not that there are no instances', async () => {
    node.runtime.trouble = new Error('the engine cannot be reached');
    const err =
      'error: the instances of app.example.com/web cannot be seen: the engine cannot be reached\nSee what is wrong: colony doctor\n';
    expect(await cli(['logs', 'app/web'])).toEqual({ code: 1, out: '', err });
    expect(await cli(['exec', 'app/web', '--', 'true'])).toEqual({ code: 1, out: '', err });
    putApp(colony, { instances: [], runtime: 'local' });
    expect((await cli(['logs', 'app/web'])).err).toBe(err);
    putApp(colony, { instances: [report(0)], runtime: 'docker' });
    expect((await cli(['logs', 'app/web'])).err).toBe('error: app.example.com/web has no instances\nSee why: colony describe app/web\n');
  });

  it('fails with one sentence when there is no life before', async () => {
    node.runtime.add(0);
    expect(await cli(['logs', 'app/web', '--previous'])).toEqual({
      code: 1,
      out: '',
      err: 'error: slot 0 of app.example.com/web was never started again, so there is no life before to read\n',
    });
    node.runtime.add(1);
    expect(await cli(['logs', 'app/web', '--previous'])).toMatchObject({
      code: 1,
      err: 'error: slots 0, 1 of app.example.com/web were never started again, so there is no life before to read\n',
    });
  });

  it('shows the lives before that there were, and says who had none', async () => {
    putApp(colony, { instances: [report(0), report(1, { restarts: 2 })] });
    node.runtime.add(0).add(1).says('id-1-d1d1d1d1', 'help\n');
    expect(await cli(['logs', 'app/web', '--previous'])).toEqual({
      code: 0,
      out: '[1] help\n',
      err: 'note: slot 0 of app.example.com/web was never started again, so there is no life before to read\n',
    });
  });

  it('takes a life before that left no word for no failure, and says so', async () => {
    putApp(colony, { instances: [report(0, { restarts: 1 })] });
    node.runtime.add(0);
    const err = 'note: slot 0 of app.example.com/web left no word of its life before\n';
    expect(await cli(['logs', 'app/web', '--previous'])).toEqual({ code: 0, out: '', err });
    expect(await cli(['logs', 'app/web', '--previous', '--tail', '0'])).toEqual({ code: 0, out: '', err: '' });
  });

  it('tells what a runtime could not do, for each instance', async () => {
    node.runtime.add(0).add(1).says('id-0-d1d1d1d1', 'a\n').says('id-1-d1d1d1d1', 'b\n').afterLogs = async () => {
      node.runtime.trouble = new Error('the file is gone');
    };
    const { code, err } = await cli(['logs', 'app/web', '-f']);
    expect([code, err]).toEqual([1, expect.stringContaining('web-0123456789-1-d1d1d1d1: the file is gone\n')]);
  });
});
