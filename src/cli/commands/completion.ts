import { bash } from '../completion/bash.ts';
import { type Completion, completionsOf } from '../completion/completion.ts';
import { fish } from '../completion/fish.ts';
import { zsh } from '../completion/zsh.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../usage-error.ts';

const SCRIPTS: Readonly<Record<string, (all: readonly Completion[]) => string>> = { bash, zsh, fish };

export async function run(context: Context, [shell = '']: readonly string[]): Promise<undefined> {
  const script = SCRIPTS[shell];
  if (!script) throw new UsageError(`${JSON.stringify(shell)} is no shell that is known here; say bash, zsh or fish`);
  const { buildProgram } = await import('../program.ts');
  context.io.out(script(completionsOf(buildProgram(context.io, async () => {}))));
}
