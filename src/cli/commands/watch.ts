import type { Context } from '../context.ts';
import { refuseWithNames } from '../contradictions.ts';
import { parseTargets } from '../input/targets.ts';
import { parseFormat } from '../output/format.ts';
import { printWatch } from '../output/print-watch.ts';
import { findKinds } from '../selection.ts';
import { UsageError } from '../usage-error.ts';
import type { GetOptions } from './get.ts';

/** Unlike `get -w` it says what happened, and a name need not exist yet. */
export async function run(context: Context, args: readonly string[], options: GetOptions): Promise<number> {
  const format = parseFormat(context.globals.output);
  const wanted = parseTargets(args);
  refuseWithNames(wanted, options);
  const [one, ...more] = wanted;
  if (!one || more.length > 0) throw new UsageError('a watch takes one kind, or one resource', 'colony watch widgets');
  const found = await findKinds(await context.colony(), one.kind);
  return printWatch(context, found, { ...options, format, withEvents: true, ...(one.name === undefined ? {} : { name: one.name }) });
}
