import { execFileSync } from 'node:child_process';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { completionsOf } from './commands/completion.ts';
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

describe('colony completion', () => {
  const script = async (shell: string) => (await colonyCli(new FakeColony(), ['completion', shell])).out;
  const complete = async (...words: string[]): Promise<string[]> => {
    const ask = `colony() { if [ "$1" = kinds ]; then echo widgets.example.com; else echo widget.example.com/w1; fi; }
      COMP_WORDS=(colony ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _colony; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', `${await script('bash')}\n${ask}`], { encoding: 'utf8' })
      .trim()
      .split(' ');
  };

  it.each([
    { words: ['ap'], contains: 'apply' },
    { words: ['crd', 'li'], contains: 'list' },
    { words: ['crd', 'create', '--rec'], contains: '--recursive' },
    { words: ['get', ''], contains: 'widgets' },
    { words: ['get', 'widgets', ''], contains: 'w1' },
    { words: ['get', 'widgets', '--sh'], contains: '--show-labels' },
    { words: ['get', 'widgets', '-o', 'y'], contains: 'yaml' },
    { words: ['-n', 'crd', 'ge'], contains: 'get' },
    { words: ['workflow', 'app'], contains: 'approve' },
    { words: ['workflow', 'graph', ''], contains: 'w1' },
    { words: ['workflow', 'graph', 'w1', '--o'], contains: '--out' },
    { words: ['run', ''], contains: 'w1' },
  ])('bash completes $words', async ({ words, contains }) => expect(await complete(...words)).toContain(contains));

  it('writes scripts for zsh and fish that name every command', async () => {
    for (const shell of ['zsh', 'fish']) {
      const text = await script(shell);
      for (const path of paths) expect(text).toContain(path.split(' ').at(-1));
    }
    expect((await colonyCli(new FakeColony(), ['completion', 'tcsh'])).code).toBe(2);
  });
});
