import type { BackfillRange } from '../../client/api.ts';
import type { Context } from '../context.ts';
import { findFlow } from '../flows/find.ts';
import { parseFormat } from '../output/format.ts';
import { renderValue } from '../output/objects.ts';
import { labelOf } from '../selection.ts';
import { UsageError } from '../usage-error.ts';

interface ScheduleOptions {
  readonly verb: 'trigger' | 'backfill';
  readonly from?: string;
  readonly to?: string;
  readonly parallel?: boolean;
}

/** What goes through the Temporal Schedule of a Workflow. */
export async function run(context: Context, [word = '']: readonly string[], options: ScheduleOptions): Promise<undefined> {
  const { io, globals } = context;
  const format = parseFormat(globals.output, ['table', 'json', 'yaml']);
  const range = options.verb === 'backfill' ? rangeOf(options, io.now()) : undefined;
  const found = await findFlow(context, word, ['Workflow']);
  const schedule = (await context.colony()).schedule(found.ref);
  const see = `See: colony workflow runs ${found.ref.name}\n`;
  if (!range) {
    const triggered = await schedule.trigger();
    if (triggered === 'Skipped') throw new NotTriggered(found.ref.name);
    io.out(`${labelOf(found)} triggered${triggered === 'Waiting' ? '; the run starts when an earlier one has ended' : ''}\n`);
    return void io.err(see);
  }
  const times = await schedule.backfill(range);
  if (format.as !== 'table') return void io.out(await renderValue({ times }, format));
  if (times.length === 0)
    throw new Error(`the schedule of ${found.ref.name} has no start between ${options.from} and ${options.to ?? 'now'}`);
  const span = times.length === 1 ? `of ${times[0]}` : `from ${times[0]} to ${times.at(-1)}`;
  io.out(`${labelOf(found)} backfills ${times.length} ${times.length === 1 ? 'run' : 'runs'} ${span}\n`);
  io.err(see);
}

/** The rule of the schedule wants no run now. */
class NotTriggered extends Error {
  readonly hint: string;

  constructor(name: string) {
    super(`nothing was started: the schedule of ${name} skips a run while an earlier one has not ended`);
    this.hint = `See which: colony workflow runs ${name}; a run all the same: colony run workflow/${name}`;
  }
}

function rangeOf({ from, to, parallel = false }: ScheduleOptions, now: number): BackfillRange {
  if (from === undefined) throw new UsageError('from when? Say --from TIME', 'A time is written as 2026-03-01 or 2026-03-01T12:00:00Z.');
  return { from: timeOf(from, '--from'), to: to === undefined ? new Date(now) : timeOf(to, '--to'), parallel };
}

function timeOf(text: string, option: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || !/^\d{4}-\d\d-\d\d/.test(text)) {
    throw new UsageError(`${option} is ${JSON.stringify(text)}; write a time such as 2026-03-01 or 2026-03-01T12:00:00Z`);
  }
  return time;
}
