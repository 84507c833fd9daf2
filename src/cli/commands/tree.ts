import type { Family } from '../../client/api.ts';
import type { Context } from '../context.ts';
import { parseOne } from '../input/targets.ts';
import { parseFormat } from '../output/format.ts';
import { renderValue } from '../output/objects.ts';
import { treeObject, treeText } from '../output/tree.ts';
import { redraw } from '../redraw.ts';
import { select } from '../selection.ts';

interface TreeOptions {
  readonly headers?: boolean;
  readonly watch?: boolean;
}

export async function run(context: Context, args: readonly string[], { headers = true, watch = false }: TreeOptions): Promise<undefined> {
  const { io } = context;
  const format = parseFormat(context.globals.output, watch ? ['table', 'wide'] : ['table', 'wide', 'json', 'yaml']);
  const { resources, ref } = await select(context, parseOne(args));
  const draw = (family: Family): string => treeText(io, family, { wide: format.as === 'wide', headers });
  if (watch) {
    await redraw(io, async () => {
      const family = await resources.family(ref);
      return { text: draw(family), state: JSON.stringify(treeObject(family)) };
    });
    return;
  }
  const family = await resources.family(ref);
  io.out(format.as === 'table' || format.as === 'wide' ? draw(family) : await renderValue(treeObject(family), format));
}
