import type { Context } from '../context.ts';
import { parseNamed } from '../input/targets.ts';
import { parseFormat } from '../output/format.ts';
import { printDone } from '../output/print-done.ts';
import { select } from '../selection.ts';

const DONE = {
  pause: { configured: 'paused', unchanged: 'was paused already' },
  resume: { configured: 'resumed', unchanged: 'was not paused' },
} as const;

/** Both directions: `verb` says which. */
export async function run(context: Context, args: readonly string[], { verb }: { readonly verb: 'pause' | 'resume' }): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml', 'name']);
  for (const wanted of parseNamed(args)) {
    const selected = await select(context, wanted);
    const { operation } = await selected.resources[verb](selected.ref);
    await printDone(context, selected, format, DONE[verb][operation === 'unchanged' ? 'unchanged' : 'configured']);
  }
}
