import type { ResourceEvent } from '../../../definitions/core/resource.ts';
import { canUndo } from '../can-undo.ts';
import type { Context } from '../context.ts';
import { parseTargets } from '../input/targets.ts';
import { describePage } from '../output/describe.ts';
import { parseFormat } from '../output/format.ts';
import { listOf, renderValue } from '../output/objects.ts';
import { type Filter, type Selected, selectMany, typedRef } from '../selection.ts';
import { nothing } from './get.ts';

export async function run(context: Context, args: readonly string[], options: Filter): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml']);
  const wanted = parseTargets(args);
  const unnamed = wanted.some(({ name }) => name === undefined);
  const filter = { ...options, all: unnamed && options.selector === undefined };
  const selected = await selectMany(context, wanted, filter, { several: 'all' });
  if (selected.length === 0) return void context.io.err(nothing(context, options));
  const objects: unknown[] = [];
  for (const [index, one] of selected.entries()) {
    const resource = await one.resources.get(one.ref);
    const undoable = format.as === 'table' ? canUndo(one, resource) : false;
    const [events, pending] = await Promise.all([eventsOf(context, one), one.resources.pending(one.ref).catch(() => [])]);
    if (format.as !== 'table') {
      objects.push({ ...resource, events, pending });
      continue;
    }
    const advice = { ref: await typedRef(await context.colony(), one), canUndo: await undoable };
    context.io.out(`${index > 0 ? '\n' : ''}${await describePage(context.io, resource, events, pending, advice)}`);
  }
  if (format.as !== 'table') context.io.out(await renderValue(objects.length === 1 && !unnamed ? objects[0] : listOf(objects), format));
}

/** The rest of the page is worth showing also while no worker answers. */
async function eventsOf({ io }: Context, { resources, ref }: Selected): Promise<readonly ResourceEvent[]> {
  try {
    return await resources.events(ref);
  } catch (error) {
    io.err(`warning: no events: ${error instanceof Error ? error.message : String(error)}\n`);
    return [];
  }
}
