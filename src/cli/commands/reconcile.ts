import type { Context } from '../context.ts';
import { parseNamed } from '../input/targets.ts';
import { parseFormat } from '../output/format.ts';
import { printDone } from '../output/print-done.ts';
import { select } from '../selection.ts';

export async function run(context: Context, args: readonly string[], options: { readonly force?: boolean }): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'name']);
  for (const wanted of parseNamed(args)) {
    const selected = await select(context, wanted);
    await selected.resources.reconcile(selected.ref, options.force ? { force: true } : {});
    await printDone(context, selected, format, 'reconcile requested');
  }
}
