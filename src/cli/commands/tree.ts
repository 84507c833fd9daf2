import type { Context } from '../context.ts';
import { parseOne } from '../input/targets.ts';
import { parseFormat } from '../output/format.ts';
import { renderValue } from '../output/objects.ts';
import { treeObject, treeText } from '../output/tree.ts';
import { select } from '../selection.ts';

export async function run(
  context: Context,
  args: readonly string[],
  { headers = true }: { readonly headers?: boolean },
): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'wide', 'json', 'yaml']);
  const { resources, ref } = await select(context, parseOne(args));
  const family = await resources.family(ref);
  const isTree = format.as === 'table' || format.as === 'wide';
  context.io.out(
    isTree ? treeText(context.io, family, { wide: format.as === 'wide', headers }) : await renderValue(treeObject(family), format),
  );
}
