import type { Context } from '../context.ts';
import { parseNamed } from '../input/targets.ts';
import { labelOf, select } from '../selection.ts';

/** Both directions: `verb` says which. */
export async function run(context: Context, args: readonly string[], { verb }: { readonly verb: 'pause' | 'resume' }): Promise<undefined> {
  for (const wanted of parseNamed(args)) {
    const selected = await select(context, wanted);
    const { operation } = await selected.resources[verb](selected.ref);
    const done = verb === 'pause' ? 'paused' : 'resumed';
    context.io.out(
      `${labelOf(selected)} ${operation === 'unchanged' ? `was ${verb === 'pause' ? 'paused already' : 'not paused'}` : done}\n`,
    );
  }
}
