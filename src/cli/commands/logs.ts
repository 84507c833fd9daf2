import type { LogChunk } from '../../../activities/runtimes/runtime.ts';
import type { DoorInstance } from '../../node/door/api.ts';
import type { Context } from '../context.ts';
import { escapeLine, escapeLog, escapeQuoted } from '../escape.ts';
import { parseOne } from '../input/targets.ts';
import { countFrom } from '../input/whole-number.ts';
import { elsewhereSentence, findInstances, type Here, openHere } from '../instances/find.ts';
import { follow } from '../instances/follow.ts';
import { explainSilence } from '../instances/life-before.ts';
import { LogLines } from '../instances/log-lines.ts';
import { type Format, parseFormat } from '../output/format.ts';
import { EXIT_ERROR, report } from '../report.ts';
import { select } from '../selection.ts';
import { UsageError } from '../usage-error.ts';

interface LogsOptions {
  readonly follow?: boolean;
  readonly instance?: string;
  readonly previous?: boolean;
  readonly tail?: string;
  readonly timestamps?: boolean;
}

const NO_TIMES = '--timestamps is not for runtime local: a process writes to its files itself, and nobody notes when';

/** What instances said; of all of them at once when none is named. */
export async function run(context: Context, args: readonly string[], options: LogsOptions): Promise<number> {
  const { io, globals } = context;
  const format = parseFormat(globals.output, ['table', 'json']);
  const tail = options.tail === undefined ? undefined : countFrom(0, options.tail, '--tail');
  const selected = await select(context, parseOne(args));
  const place = openHere(context);
  const { here, elsewhere } = await findInstances(context, place, selected, options.instance);
  if (here.length === 0) throw new Error(elsewhereSentence(selected, elsewhere, 'logs'));
  if (elsewhere.length > 0) io.err(`note: ${escapeLine(elsewhereSentence(selected, elsewhere, 'logs'))}\n`);
  if (options.timestamps && here.some(({ runtime }) => runtime === 'local')) throw new UsageError(NO_TIMES);
  const interrupted = io.interrupted();
  const logOptions = {
    follow: options.follow === true,
    previous: options.previous === true,
    timestamps: options.timestamps === true,
    signal: interrupted,
    ...(tail === undefined ? {} : { tail }),
  };
  const silent: DoorInstance[] = [];
  const read = async (instance: DoorInstance, all: readonly DoorInstance[], isLater: boolean): Promise<boolean> => {
    const print = printer(context, { ...place, here: all, format }, instance);
    // What comes later is read from its first word on.
    const { tail: _tail, ...whole } = logOptions;
    let isSilent = true;
    try {
      for await (const chunk of place.door.logs(instance.runtime, instance.id, isLater ? whole : logOptions)) {
        isSilent &&= chunk.data.length === 0;
        await print.chunk(chunk);
      }
      await print.end();
      if (isSilent) silent.push(instance);
      return true;
    } catch (error) {
      await print.end();
      report(io, error, { verbose: globals.verbose === true, at: all.length > 1 ? instance.name : '' });
      return false;
    }
  };
  const isGood =
    logOptions.follow && !logOptions.previous
      ? await follow(here, { selected, place, wanted: options.instance, signal: interrupted, read })
      : (await Promise.all(here.map((instance) => read(instance, here, false)))).every(Boolean);
  if (options.previous && tail !== 0 && !interrupted.aborted) await explainSilence(io, selected, silent, here);
  return isGood ? 0 : EXIT_ERROR;
}

interface Printer {
  chunk(chunk: LogChunk): Promise<void>;
  end(): Promise<void>;
}

type Printing = Here & { readonly here: readonly DoorInstance[]; readonly format: Format };

/** The bytes as they are for a file; for a terminal, for JSON and for several instances they are cut into lines. */
function printer({ io }: Context, { node, here, format }: Printing, instance: DoorInstance): Printer {
  if (format.as === 'table' && here.length === 1 && !io.outIsTerminal) {
    return { chunk: ({ stream, data }) => io.bytes(stream === 'stdout' ? 'out' : 'err', data), end: async () => {} };
  }
  const prefix = here.length > 1 ? `[${labelIn(here, instance)}] ` : '';
  const lines = { stdout: new LogLines(), stderr: new LogLines() };
  const { slot, name } = instance;
  const print = async (stream: LogChunk['stream'], texts: readonly string[]): Promise<void> => {
    if (texts.length === 0) return;
    const isJson = format.as === 'json';
    const shown = texts.map((text) => {
      if (isJson) return `${escapeQuoted(JSON.stringify({ instance: name, slot, node, stream, line: text }))}\n`;
      return `${prefix}${io.outIsTerminal ? escapeLog(text) : text}\n`;
    });
    await io.bytes(stream === 'stdout' || isJson ? 'out' : 'err', Buffer.from(shown.join('')));
  };
  return {
    chunk: ({ stream, data }) => print(stream, lines[stream].push(data)),
    end: async () => {
      for (const stream of ['stdout', 'stderr'] as const) await print(stream, lines[stream].end());
    },
  };
}

/** The slot, or the whole name while two revisions share it. */
function labelIn(here: readonly DoorInstance[], { slot, name }: DoorInstance): string {
  return here.filter((other) => other.slot === slot).length > 1 ? name : String(slot);
}
