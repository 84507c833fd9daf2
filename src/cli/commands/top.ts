import type { Usage } from '../../../activities/runtimes/runtime.ts';
import type { DoorInstance } from '../../node/door/api.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { parseOne } from '../input/targets.ts';
import { elsewhereSentence, findInstances, type Here, openHere } from '../instances/find.ts';
import { bytesText } from '../output/bytes.ts';
import { parseFormat } from '../output/format.ts';
import { lineWidth } from '../output/line-width.ts';
import { listOf, renderValue } from '../output/objects.ts';
import { renderTable } from '../output/table.ts';
import { select } from '../selection.ts';

const TITLES = ['INSTANCE', 'NODE', 'CPU', 'MEMORY', 'LIMIT', 'PIDS'] as const;
const NONE = '-';

/** What instances of this node use: of one resource, or of all. */
export async function run(context: Context, args: readonly string[], options: { readonly headers?: boolean }): Promise<undefined> {
  const { io, globals } = context;
  const format = parseFormat(globals.output, ['table', 'json', 'yaml']);
  const place = openHere(context);
  const instances = args.length === 0 ? await everything(context, place) : await ofOne(context, place, args);
  if (instances.length === 0 && format.as === 'table') return void io.err(`No instances on node ${place.node}.\n`);
  const usage = await usageOf(context, place, instances);
  if (format.as !== 'table') {
    const items = instances.map(({ name, slot, runtime, state, id, owner }) => ({
      ...usage.get(id),
      id,
      name,
      slot,
      node: place.node,
      runtime,
      state,
      resource: owner.resource,
    }));
    return void io.out(await renderValue(listOf(items), format));
  }
  const rows = instances.map(({ id, name }) => [name, place.node, ...cells(usage.get(id))]);
  io.out(renderTable(TITLES, rows, { headers: options.headers !== false, width: lineWidth(io) }));
}

function cells(usage: Usage | undefined): readonly string[] {
  if (!usage) return [NONE, NONE, NONE, NONE];
  const { cpus, memoryBytes, memoryLimitBytes, pids } = usage;
  return [
    cpus.toFixed(2),
    bytesText(memoryBytes),
    memoryLimitBytes === undefined ? NONE : bytesText(memoryLimitBytes),
    pids === undefined ? NONE : String(pids),
  ];
}

async function everything({ io }: Context, { door }: Here): Promise<readonly DoorInstance[]> {
  const { instances, unreachable } = await door.instances();
  for (const { runtime, message } of unreachable) io.err(`warning: ${escapeLine(`${runtime} cannot be asked: ${message}`)}\n`);
  return [...instances].sort((a, b) => (a.owner.name === b.owner.name ? a.slot - b.slot : a.owner.name < b.owner.name ? -1 : 1));
}

async function ofOne(context: Context, place: Here, args: readonly string[]): Promise<readonly DoorInstance[]> {
  const selected = await select(context, parseOne(args));
  const { here, elsewhere } = await findInstances(context, place, selected);
  if (here.length === 0) throw new Error(elsewhereSentence(selected, elsewhere, 'top'));
  if (elsewhere.length > 0) context.io.err(`note: ${escapeLine(elsewhereSentence(selected, elsewhere, 'top'))}\n`);
  return here;
}

/** By id; a runtime that cannot say is a warning, not the end of the table. */
async function usageOf({ io }: Context, { door }: Here, instances: readonly DoorInstance[]): Promise<ReadonlyMap<string, Usage>> {
  const found = new Map<string, Usage>();
  const running = instances.filter(({ state }) => state === 'running' || state === 'paused');
  for (const runtime of new Set(running.map((instance) => instance.runtime))) {
    const ids = running.filter((instance) => instance.runtime === runtime).map(({ id }) => id);
    try {
      for (const usage of await door.stats(runtime, ids)) found.set(usage.id, usage);
    } catch (error) {
      io.err(`warning: ${escapeLine(`${runtime} cannot say what is used: ${error instanceof Error ? error.message : String(error)}`)}\n`);
    }
  }
  return found;
}
