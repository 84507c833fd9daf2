import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { completionsOf } from '../completion/completion.ts';
import { buildProgram } from '../program.ts';
import { FakeColony } from '../test-double/colony.ts';
import { colonyCli } from '../test-double/run.ts';

const script = async (shell: string) => (await colonyCli(new FakeColony(), ['completion', shell])).out;

/** A colony that has one widget `w1`, and `f1` in the namespace `flows`; it is asked by the script. */
const COLONY = `colony() {
  if [ "$1" = kinds ]; then echo widgets.example.com; return; fi
  case "$2 $*" in
    *bogus*) ;;
    resourcedefinitions*) echo resourcedefinition.colonies.io/widgets.example.com ;;
    *"-n flows"*|*"--namespace flows"*|*"--namespace=flows"*) echo widget.example.com/f1 ;;
    *) echo widget.example.com/w1; echo widget.example.com/foo ;;
  esac
}`;
const list = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/** The words that bash would offer; it takes `a=b` apart. */
async function inBash(...given: string[]): Promise<string[]> {
  const words = given.flatMap((word) => word.split(/(?==)|(?<==)/));
  const ask = `COMP_WORDS=(colony ${list(words)}); COMP_CWORD=${words.length}; _colony; echo "\${COMPREPLY[@]}"`;
  const said = execFileSync('bash', ['-c', `${await script('bash')}\n${COLONY}\n${ask}`], { encoding: 'utf8' });
  return said.split(/\s+/).filter((word) => word !== '');
}

/** The words that zsh would offer, by what the script hands to its completion system. */
async function inZsh(...words: string[]): Promise<string[]> {
  const shell = `compdef() { }
    _files() { }
    _describe() { print -rl -- "\${(@P)2%%:*}" }
    compadd() {
      local prefix= suffix=
      while [[ "$1" != -- ]]; do case "$1" in (-p) prefix="$2" ;; (-S) suffix="$2" ;; esac; shift 2; done
      shift
      print -rl -- "\${prefix}\${^@}\${suffix}"
    }`;
  const ask = `words=(colony ${list(words)}); CURRENT=${words.length + 1}; _colony`;
  const said = execFileSync('zsh', ['-f', '-c', `${shell}\n${await script('zsh')}\n${COLONY}\n${ask}`], { encoding: 'utf8' });
  return said.split(/\s+/).filter((word) => word !== '' && word.startsWith(words.at(-1) ?? ''));
}

const LINES: readonly { readonly words: string[]; readonly offers: string[] }[] = [
  { words: ['ap'], offers: ['apply'] },
  { words: ['crd', 'li'], offers: ['list'] },
  { words: ['crd', 'create', '--rec'], offers: ['--recursive'] },
  { words: ['get', ''], offers: ['widgets'] },
  { words: ['get', 'widgets', ''], offers: ['w1', 'foo'] },
  { words: ['get', 'widgets', '--sh'], offers: ['--show-labels'] },
  { words: ['get', 'widgets', '-o', 'y'], offers: ['yaml'] },
  { words: ['get', 'widgets', '-l', ''], offers: [] },
  { words: ['-n', 'crd', 'crd', 'ge'], offers: ['get'] },
  { words: ['describe', 'widget/f'], offers: ['widget/foo'] },
  { words: ['get', 'widget/w1', 'wid'], offers: ['widgets/'] },
  { words: ['rollback', ''], offers: ['widgets/'] },
  { words: ['rollback', 'widgets/'], offers: ['widgets/w1', 'widgets/foo'] },
  { words: ['pause', 'widgets/w1', 'widgets/f'], offers: ['widgets/foo'] },
  { words: ['get', 'widgets', '-n', 'flows', ''], offers: ['f1'] },
  { words: ['get', '-n', 'flows', 'widgets', ''], offers: ['f1'] },
  { words: ['get', '--namespace=flows', 'widgets', ''], offers: ['f1'] },
  { words: ['describe', '-n', 'flows', 'widget/'], offers: ['widget/f1'] },
  { words: ['crd', 'get', ''], offers: ['widgets.example.com'] },
  { words: ['crd', 'delete', 'one', ''], offers: ['widgets.example.com'] },
  { words: ['workflow', 'app'], offers: ['approve'] },
  { words: ['workflow', 'graph', ''], offers: ['w1', 'foo'] },
  { words: ['workflow', 'graph', 'w1', '--out='], offers: [] },
  { words: ['run', ''], offers: ['w1', 'foo'] },
];

describe('colony completion', () => {
  it.each(LINES)('bash completes $words', async ({ words, offers }) => expect(await inBash(...words)).toEqual(offers));

  const hasZsh = spawnSync('zsh', ['--version']).status === 0;
  it.runIf(hasZsh).each(LINES)('zsh completes $words', async ({ words, offers }) => expect(await inZsh(...words)).toEqual(offers));

  it('offers no name after a kind where a command takes KIND/NAME', async () => {
    expect(await inBash('rollback', 'widgets', '')).not.toContain('w1');
  });

  it('leaves alone what is PATH in zsh', async () => {
    expect(await script('zsh')).not.toMatch(/\bpath=|\blocal\b[^\n]*\bpath\b/);
  });

  it('writes scripts for zsh and fish that name every command', async () => {
    const paths = completionsOf(buildProgram({ out: () => {}, err: () => {} }, async () => {})).map(({ path }) => path);
    for (const shell of ['zsh', 'fish']) {
      const text = await script(shell);
      for (const path of paths) expect(text).toContain(path.split(' ').at(-1));
    }
    expect((await colonyCli(new FakeColony(), ['completion', 'tcsh'])).code).toBe(2);
  });
});
