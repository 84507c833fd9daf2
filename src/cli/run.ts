import type { Colony } from '../client/api.ts';
import type { CommandSpec } from './command-spec.ts';
import { type Context, type Globals, namespaceOf } from './context.ts';
import { refuseContradictions } from './contradictions.ts';
import type { Io } from './io.ts';
import { withNamesakes } from './namesakes.ts';
import { withProgress } from './progress.ts';
import { report } from './report.ts';

/** How a command reaches colony; a double in tests. */
export type Connect = (globals: Globals) => Promise<Colony>;

/** Runs one command line. Guarantees: never throws; whatever went wrong was said in one sentence, and the answer is the exit code. */
export async function run(argv: readonly string[], io: Io, connect: Connect): Promise<number> {
  const { CommanderError } = await import('commander');
  const { buildProgram, exitCodeOf, handingOn, helpOnCommands } = await import('./program.ts');
  let code = 0;
  let verbose = false;
  const program = buildProgram(io, async (spec, globals, args, options) => {
    verbose = globals.verbose === true;
    refuseContradictions(globals, options);
    const context = contextOf(io, globals, connect);
    try {
      code = await call(spec, context, args, options);
    } catch (error) {
      throw await withNamesakes(context, error, args);
    }
  });
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...handingOn(helpOnCommands(argv, program), program)], { from: 'user' });
    return code;
  } catch (error) {
    return error instanceof CommanderError ? exitCodeOf(error) : report(io, error, { verbose });
  }
}

async function call(spec: CommandSpec, context: Context, args: readonly string[], options: object): Promise<number> {
  const module = await spec.load?.();
  const work = async (io: Io): Promise<number> => (await module?.run({ ...context, io }, args, options as never)) ?? 0;
  const { io } = context;
  if (spec.isLong || 'watch' in options) return work(io);
  return withProgress(
    io,
    () => 'waiting for an answer',
    (aside) => work({ ...io, out: (text) => aside(() => io.out(text)), err: (text) => aside(() => io.err(text)) }),
  );
}

function contextOf(io: Io, globals: Globals & { color?: boolean }, connect: Connect): Context {
  let colony: Promise<Colony> | undefined;
  let input: Promise<string> | undefined;
  const stdin = (): Promise<string> => {
    input ??= io.stdin();
    return input;
  };
  const open = (): Promise<Colony> => {
    colony ??= connect(globals);
    return colony;
  };
  return {
    io: { ...io, stdin, colour: io.colour && globals.color !== false },
    globals,
    namespace: namespaceOf(io, globals),
    colony: open,
    reading: open,
  };
}
