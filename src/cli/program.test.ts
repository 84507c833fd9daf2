import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { version } from '../../package.json';
import { completionsOf } from './completion/completion.ts';
import { buildProgram } from './program.ts';
import { run } from './run.ts';
import { FakeColony } from './test-double/colony.ts';
import { fakeIo } from './test-double/io.ts';
import { colonyCli } from './test-double/run.ts';

const tree = (command: Command): Command[] => [command, ...command.commands.flatMap(tree)];
const program = buildProgram(fakeIo(), async () => {});
const paths = completionsOf(program).map(({ path }) => path);

describe('the command line', () => {
  it.each(paths)('%s has help with examples, within 80 columns', async (path) => {
    const { code, out } = await colonyCli(
      new FakeColony(),
      [...path.split(' '), '--help'].filter((word) => word !== ''),
    );
    expect(code).toBe(0);
    expect(out).toContain(path === '' ? 'To start:' : 'Examples:');
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('gives no short flag two meanings on one command', () => {
    const globals = program.options.flatMap(({ short, long }) => [short, long]);
    for (const command of tree(program).slice(1)) {
      const own = command.options.flatMap(({ short, long }) => [short, long]).filter((name) => name !== undefined);
      expect(own.filter((name) => globals.includes(name))).toEqual([]);
    }
  });

  it('suggests what was meant, with exit code 2', async () => {
    const { code, err } = await colonyCli(new FakeColony(), ['aply']);
    expect([code, err]).toEqual([2, "error: unknown command 'aply'\n(Did you mean apply?)\n"]);
  });

  it.each([
    ['help', 'nope'],
    ['-n', 'dev', 'help', 'nope'],
    ['help', 'aply'],
  ])('knows no help on what is no command: %s %s', async (...argv) => {
    const { code, out, err } = await colonyCli(new FakeColony(), argv);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(`error: unknown command '${argv.at(-1)}'`)]);
  });

  it.each([['help', 'apply'], ['help', 'api-resources'], ['help', 'help'], ['help']])('has help on what is one: %s %s', async (...argv) => {
    const { code, out } = await colonyCli(new FakeColony(), argv);
    expect([code, out]).toEqual([0, expect.stringContaining('Usage: colony')]);
  });

  it.each(['--version', '-V'])('says its version on %s', async (flag) => {
    expect(await colonyCli(new FakeColony(), [flag])).toEqual({ code: 0, out: `colony ${version}\n`, err: '' });
  });

  it('takes global options before and after the command', async () => {
    const colony = new FakeColony().define('Widget', 'example.com').put({ kind: 'Widget', name: 'w1', namespace: 'dev' });
    for (const argv of [
      ['-n', 'dev', 'get', 'widgets', '-o', 'name'],
      ['get', '-ndev', 'widgets', '--output=name'],
      ['get', 'widgets', '--namespace', 'dev', '-oname'],
    ]) {
      expect((await colonyCli(colony, argv)).out).toBe('widget.example.com/w1\n');
    }
  });

  it('shows a stack only with -v, and never a raw control character', async () => {
    const failing = async () => {
      throw Object.assign(new Error('bad \u001b[31m thing'), { hint: 'Do\u0007 this.' });
    };
    const quiet = fakeIo();
    expect(await run(['get', 'widgets'], quiet, failing)).toBe(1);
    expect(quiet.stderr()).toBe('error: bad \\x1b[31m thing\nDo\\x07 this.\n');
    const verbose = fakeIo();
    await run(['get', 'widgets', '-v'], verbose, failing);
    expect(verbose.stderr()).toContain('    at ');
  });

  it('colours only when the terminal may', async () => {
    const colony = new FakeColony().define('Widget', 'example.com').put({ kind: 'Widget', name: 'w1' });
    expect((await colonyCli(colony, ['get', 'widgets'], { colour: true })).out).toContain('\u001b[33m');
    expect((await colonyCli(colony, ['get', 'widgets', '--no-color'], { colour: true })).out).not.toContain('\u001b');
  });
});
