import type { DoorInstance } from '../../node/door/api.ts';
import type { RemoteExec } from '../../node/door/client.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { parseOne } from '../input/targets.ts';
import { elsewhereSentence, findInstances, openHere } from '../instances/find.ts';
import { parseFormat } from '../output/format.ts';
import { EXIT_INTERRUPTED } from '../report.ts';
import { labelOf, type Selected, select } from '../selection.ts';
import { UsageError } from '../usage-error.ts';

interface ExecOptions {
  readonly instance?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
}

/** Runs a command inside an instance; its exit code is ours. */
export async function run(context: Context, [target = '', ...command]: readonly string[], options: ExecOptions): Promise<number> {
  const { io, globals } = context;
  parseFormat(globals.output, ['table']);
  if (command.length === 0) throw new UsageError('which command? Say it after --', 'colony exec deployment/web -- ls /');
  const selected = await select(context, parseOne([target]));
  const { door } = openHere(context);
  const instance = await choose(context, selected, options.instance);
  const tty = options.tty === true && io.keyboard.isTerminal;
  if (options.tty && !tty) io.err('note: this is no terminal, so the command gets none either\n');
  const interrupted = io.interrupted();
  const session = await door.exec(instance.runtime, instance.id, { command, tty, stdin: options.stdin === true });
  interrupted.addEventListener('abort', () => session.close());
  const code = await attached(context, session, { tty, stdin: options.stdin === true }).catch((error: unknown) => {
    if (interrupted.aborted) return EXIT_INTERRUPTED;
    throw error;
  });
  return interrupted.aborted ? EXIT_INTERRUPTED : code;
}

/** Wires the terminal to the command until it ends. Guarantees: the terminal is as it was, whatever happens. */
async function attached({ io }: Context, session: RemoteExec, { tty, stdin }: { tty: boolean; stdin: boolean }): Promise<number> {
  const { keyboard } = io;
  const undo: (() => void)[] = [];
  try {
    if (tty) {
      const { rows, columns } = keyboard.size();
      await session.resize(rows, columns);
      undo.push(keyboard.onResize((size) => void session.resize(size.rows, size.columns)));
      if (stdin) undo.push(keyboard.raw());
    }
    if (stdin) feed(keyboard.read(), session).catch(() => session.endInput());
    for await (const { stream, data } of session.output) await io.bytes(stream === 'stdout' ? 'out' : 'err', data);
    return await session.exitCode;
  } finally {
    for (const one of undo.reverse()) one();
    session.close();
  }
}

async function feed(input: AsyncIterable<Uint8Array>, session: RemoteExec): Promise<void> {
  for await (const data of input) {
    session.write(data);
    await session.drained();
  }
  session.endInput();
}

/** The one that is named, else the first that is ready, else the first that runs. */
async function choose(context: Context, selected: Selected, wanted: string | undefined): Promise<DoorInstance> {
  const { here, elsewhere } = await findInstances(context, openHere(context), selected, wanted);
  if (here.length === 0) throw new Error(elsewhereSentence(selected, elsewhere, 'exec'));
  const running = here.filter(({ state }) => state === 'running').sort((a, b) => Number(b.ready) - Number(a.ready));
  const [one] = running;
  if (!one) {
    const [first] = here;
    const which =
      here.length === 1
        ? `slot ${first?.slot} of ${labelOf(selected)} is ${first?.state}`
        : `no instance of ${labelOf(selected)} runs here`;
    throw Object.assign(new Error(`${which}; a command needs one that runs`), {
      hint: `See what it said: colony logs ${selected.known.names.singular}/${selected.ref.name}`,
    });
  }
  if (running.length > 1) context.io.err(`note: in ${escapeLine(one.name)} (slot ${one.slot}); choose another with --instance\n`);
  return one;
}
