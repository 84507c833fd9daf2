import type { Context } from '../context.ts';
import { parseOne } from '../input/targets.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { parseFormat } from '../output/format.ts';
import { renderValue } from '../output/objects.ts';
import { labelOf, select } from '../selection.ts';
import { run as rollback } from './rollback.ts';

/** By the kind's own command, which knows what a rollout is; a kind without one goes back to the whole spec. */
export async function run(context: Context, args: readonly string[], options: { readonly to?: string }): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml']);
  const to = options.to === undefined ? undefined : wholeNumber(options.to, '--to');
  const selected = await select(context, parseOne(args));
  if (!selected.known.kind.commands?.undo) return rollback(context, args, options);
  const answer = await selected.resources.command(selected.ref, 'undo', to === undefined ? {} : { to });
  if (format.as !== 'table') return void context.io.out(await renderValue(answer, format));
  const { rolledBackTo } = answer.answer as { readonly rolledBackTo: number };
  context.io.out(`${labelOf(selected)} rolled back to the template of revision ${rolledBackTo} (generation ${answer.generation})\n`);
}
