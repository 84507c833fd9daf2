import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../run.ts';
import { appColony, type FakeNode, openNode, report } from '../test-double/app.ts';
import type { FakeColony } from '../test-double/colony.ts';
import { fakeIo, fakeKeyboard } from '../test-double/io.ts';
import { colonyCli } from '../test-double/run.ts';

let node: FakeNode;
let colony: FakeColony;
beforeEach(async () => {
  node = await openNode();
  node.runtime.add(0);
  colony = appColony({ instances: [report(0)] });
});
afterEach(() => node.close());

const cli = (argv: readonly string[], more = {}) => colonyCli(colony, argv, { env: node.env, ...more });

describe('colony exec', () => {
  it('runs a command whose exit code is ours, flags and all', async () => {
    expect(await cli(['exec', 'app/web', '--', 'sh', '-c', 'echo out; echo -n err >&2; exit 7'])).toEqual({
      code: 7,
      out: 'out\n',
      err: 'err',
    });
    expect((await cli(['exec', '-i', 'app/web', '-n', 'default', '--', 'echo', '-n', '--', '-v'])).out).toBe('-- -v');
  });

  it('passes standard input on to its end', async () => {
    const keyboard = fakeKeyboard(['one\n', 'two\n']);
    expect((await cli(['exec', 'app/web', '-i', '--', 'cat'], { keyboard })).out).toBe('one\ntwo\n');
  });

  it('gives a terminal its size, passes keys on raw, and always gives the terminal back', async () => {
    const told: string[] = [];
    const keyboard = fakeKeyboard(['x'], {
      isTerminal: true,
      raw: () => {
        told.push('raw');
        return () => void told.push('restored');
      },
      onResize: (tell) => {
        tell({ rows: 50, columns: 100 });
        return () => void told.push('unheard');
      },
    });
    expect((await cli(['exec', 'app/web', '-it', '--', 'cat'], { keyboard })).out).toBe('x');
    expect([told, node.runtime.resized]).toEqual([
      ['raw', 'restored', 'unheard'],
      [
        [24, 80],
        [50, 100],
      ],
    ]);
    told.length = 0;
    node.runtime.trouble = new Error('it broke');
    expect((await cli(['exec', 'app/web', '-it', '--', 'cat'], { keyboard })).code).toBe(1);
    expect(told).toEqual([]);
    node.runtime.trouble = undefined;
  });

  it('gives no terminal where there is none', async () => {
    expect(await cli(['exec', 'app/web', '-t', '--', 'true'])).toEqual({
      code: 0,
      out: '',
      err: 'note: this is no terminal, so the command gets none either\n',
    });
  });

  it('ends with 130 at Ctrl-C', async () => {
    const io = fakeIo({
      env: node.env,
      keyboard: fakeKeyboard([], { read: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }) }),
    });
    const running = run(['exec', 'app/web', '-i', '--', 'sh', '-c', 'echo up; cat'], io, async () => colony);
    await expect.poll(() => io.stdout()).toBe('up\n');
    io.interrupt();
    expect([await running, io.stderr()]).toEqual([130, '']);
  });

  it('chooses one that is ready, and says which', async () => {
    node.runtime.seen = [];
    node.runtime.add(0, { ready: false }).add(1);
    const { code, err } = await cli(['exec', 'app/web', '--', 'true']);
    expect([code, err]).toEqual([0, 'note: in web-0123456789-1-d1d1d1d1 (slot 1); choose another with --instance\n']);
    expect((await cli(['exec', 'app/web', '--instance', '0', '--', 'true'])).err).toBe('');
  });

  it('needs one that runs here, and a command', async () => {
    node.runtime.seen = [];
    node.runtime.add(0, { state: 'exited', ready: false });
    expect(await cli(['exec', 'app/web', '--', 'true'])).toEqual({
      code: 1,
      out: '',
      err: 'error: slot 0 of app.example.com/web is exited; a command needs one that runs\nSee what it said: colony logs app/web\n',
    });
    expect((await cli(['exec', 'app/web'])).code).toBe(2);
    node.runtime.seen = [];
    colony = appColony({ instances: [report(0, { node: 'b' })] });
    expect((await cli(['exec', 'app/web', '--', 'true'])).err).toBe(
      'error: slot 0 of app.example.com/web is on node b; exec works only on that node for now\n',
    );
  });

  it('says what the runtime says', async () => {
    node.runtime.trouble = undefined;
    expect(await cli(['exec', 'app/web', '--', 'no-such-command-here'])).toMatchObject({
      code: 1,
      err: 'error: spawn no-such-command-here ENOENT\n',
    });
  });
});
