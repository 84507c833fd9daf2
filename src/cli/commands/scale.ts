import type { CommandAnswer } from '../../../definitions/core/messages.ts';
import type { Context } from '../context.ts';
import { parseOne } from '../input/targets.ts';
import { countFrom } from '../input/whole-number.ts';
import { parseFormat } from '../output/format.ts';
import { printDone } from '../output/print-done.ts';
import { labelOf, type Selected, select } from '../selection.ts';
import { UsageError } from '../usage-error.ts';
import { awaitReady, readWaiting } from '../wait-ready.ts';

interface ScaleOptions {
  readonly replicas?: string;
  readonly wait?: boolean | string;
  readonly timeout?: string;
}

export async function run(context: Context, args: readonly string[], options: ScaleOptions): Promise<number> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml', 'name']);
  if (options.replicas === undefined) throw new UsageError('how many? Say --replicas N');
  const replicas = countFrom(0, options.replicas, '--replicas');
  const waiting = readWaiting(options);
  const selected = await select(context, parseOne(args));
  const { generation } = await scale(selected, replicas);
  await printDone(context, selected, format, `scaled to ${replicas} (generation ${generation})`);
  return waiting ? awaitReady(context, [selected], waiting) : 0;
}

/** By the kind's own command; a kind without one is scaled by its field, if it has it. */
async function scale(selected: Selected, replicas: number): Promise<Pick<CommandAnswer, 'generation'>> {
  const { known, resources, ref } = selected;
  if (known.kind.commands?.scale) return resources.command(ref, 'scale', { replicas });
  const { spec } = await resources.get(ref);
  if (typeof spec.replicas !== 'number') throw new UsageError(`${labelOf(selected)} cannot be scaled: its spec has no replicas`);
  return resources.setPath(ref, 'spec.replicas', replicas);
}
