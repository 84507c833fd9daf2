import type { CommandAnswer } from '../../../definitions/core/messages.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { endSentence, follow, look, progressText } from '../follow.ts';
import { parseDuration } from '../input/duration.ts';
import { parseOne } from '../input/targets.ts';
import { yesNo } from '../input/yes-no.ts';
import { parseFormat } from '../output/format.ts';
import { renderValue } from '../output/objects.ts';
import { printDone } from '../output/print-done.ts';
import { EXIT_ERROR, EXIT_INTERRUPTED } from '../report.ts';
import { labelOf, type Selected, select } from '../selection.ts';
import { UsageError } from '../usage-error.ts';
import { awaitReady, readWaiting } from '../wait-ready.ts';

interface RolloutOptions {
  readonly verb: 'status' | keyof typeof CHANGES;
  readonly watch?: boolean | string;
  readonly timeout?: string;
  readonly wait?: boolean | string;
}

export async function run(context: Context, args: readonly string[], options: RolloutOptions): Promise<number> {
  const selected = await select(context, parseOne(args));
  return options.verb === 'status' ? status(context, selected, options) : change(context, selected, options.verb, options);
}

/** Exit code 0: the newest revision has taken over; 1: it failed, or the time is up. */
async function status(context: Context, selected: Selected, options: RolloutOptions): Promise<number> {
  const { io } = context;
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml']);
  const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout, '--timeout');
  if (!yesNo(options.watch, '--watch', true) || format.as !== 'table') return once(context, selected, format);
  const followed = await follow(io, selected, { timeoutMs, signal: io.interrupted() });
  if (followed.end === 'decided' && followed.outlook.state === 'done') {
    io.out(`${escapeLine(`${labelOf(selected)} is rolled out: ${followed.outlook.message}.`)}\n`);
    return 0;
  }
  io.err(`error: ${escapeLine(endSentence(selected, followed, timeoutMs))}\n`);
  return followed.end === 'interrupted' ? EXIT_INTERRUPTED : EXIT_ERROR;
}

async function once({ io }: Context, selected: Selected, format: ReturnType<typeof parseFormat>): Promise<number> {
  const { resource, outlook, pending } = await look(selected);
  if (!resource) throw new Error(outlook.message);
  if (format.as === 'table') io.out(`${escapeLine(progressText(selected, outlook, pending))}\n`);
  else io.out(await renderValue({ ...outlook, rollout: resource.status?.rollout ?? null, pending }, format));
  return outlook.state === 'failed' ? EXIT_ERROR : 0;
}

type Call = (selected: Selected, now: string) => Promise<Pick<CommandAnswer, 'generation' | 'answer'>>;

/** By the kind's own command; else by the field of its spec that means the same, which its schema may refuse. */
const CHANGES = {
  pause: { done: 'rollout paused', unchanged: 'rollout was paused already', call: byCommand('pause', 'spec.paused', () => true) },
  resume: { done: 'rollout resumed', unchanged: 'rollout was not paused', call: byCommand('resume', 'spec.paused', () => undefined) },
  restart: { done: 'rollout restarted', unchanged: 'rollout restarted', call: byCommand('restart', 'spec.restartedAt', (now) => now) },
} as const satisfies Record<string, { done: string; unchanged: string; call: Call }>;

function byCommand(verb: string, path: string, value: (now: string) => unknown): Call {
  return async (selected, now) => {
    const { known, resources, ref } = selected;
    if (known.kind.commands?.[verb]) return resources.command(ref, verb, {});
    const { status: found } = await resources.get(ref);
    if (!found || !('rollout' in found)) throw new UsageError(`${labelOf(selected)} has no rollout: ${known.names.kind} knows no ${verb}`);
    return resources.setPath(ref, path, value(now));
  };
}

async function change(context: Context, selected: Selected, verb: keyof typeof CHANGES, options: RolloutOptions): Promise<number> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml', 'name']);
  const waiting = readWaiting(options);
  const { done, unchanged, call } = CHANGES[verb];
  const { answer } = await call(selected, new Date(context.io.now()).toISOString());
  const hasChanged = (answer as { changed?: boolean } | undefined)?.changed ?? true;
  await printDone(context, selected, format, hasChanged ? done : unchanged);
  return waiting ? awaitReady(context, [selected], waiting) : 0;
}
