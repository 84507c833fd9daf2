import type { Context } from '../context.ts';
import { parseNamed } from '../input/targets.ts';
import { labelOf, select } from '../selection.ts';

export async function run(context: Context, args: readonly string[], options: { readonly force?: boolean }): Promise<undefined> {
  for (const wanted of parseNamed(args)) {
    const selected = await select(context, wanted);
    await selected.resources.reconcile(selected.ref, options.force ? { force: true } : {});
    context.io.out(`${labelOf(selected)} reconcile requested\n`);
  }
}
