import type { Context } from '../context.ts';
import { parseOne } from '../input/targets.ts';
import { eventRows, eventTitles } from '../output/events.ts';
import { parseFormat } from '../output/format.ts';
import { lineWidth } from '../output/line-width.ts';
import { listOf, renderValue } from '../output/objects.ts';
import { renderTable } from '../output/table.ts';
import { labelOf, select } from '../selection.ts';

export async function run(context: Context, args: readonly string[], options: { readonly headers?: boolean }): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml']);
  const selected = await select(context, parseOne(args));
  const events = await selected.resources.events(selected.ref);
  if (format.as !== 'table') return void context.io.out(await renderValue(listOf(events), format));
  if (events.length === 0) return void context.io.err(`No events of ${labelOf(selected)}.\n`);
  context.io.out(
    renderTable(eventTitles, eventRows(events, context.io.now()), { headers: options.headers !== false, width: lineWidth(context.io) }),
  );
}
