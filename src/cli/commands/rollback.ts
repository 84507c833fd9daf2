import type { Context } from '../context.ts';
import { parseOne } from '../input/targets.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { parseFormat } from '../output/format.ts';
import { renderValue } from '../output/objects.ts';
import { labelOf, select } from '../selection.ts';

export async function run(context: Context, args: readonly string[], options: { readonly to?: string }): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml']);
  const to = options.to === undefined ? undefined : wholeNumber(options.to, '--to');
  const selected = await select(context, parseOne(args));
  const answer = await selected.resources.rollback(selected.ref, to === undefined ? {} : { to });
  if (format.as !== 'table') return void context.io.out(await renderValue(answer, format));
  const where = to === undefined ? 'the revision before' : `revision ${to}`;
  context.io.out(`${labelOf(selected)} rolled back to ${where} (generation ${answer.generation})\n`);
}
