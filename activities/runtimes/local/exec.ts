import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { PassThrough, type Readable } from 'node:stream';
import { quote } from '../../../definitions/core/quote.ts';
import { type ExecRequest, type ExecSession, type LogChunk, Problem } from '../runtime.ts';
import { findCommand } from './find-command.ts';

/** Where a command finds itself. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
}

/** A command that runs beside an instance, in a process group of its own. Throws Problem when there is no such command. */
export function spawnBeside({ env, workingDir }: Surroundings, command: readonly string[]): ChildProcess {
  const [program = '', ...args] = command;
  if (!findCommand(program, env.PATH ?? '', workingDir)) {
    throw new Problem('CommandNotFound', `The command ${quote(program)} is not on this node, or may not be run.`);
  }
  return spawn(program, args, { env, cwd: workingDir, detached: true, stdio: 'pipe' });
}

/** Kills a command with everybody in its group; nothing happens when it has ended. */
export function killBeside(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

/** How a command ended, as shells say it. */
export async function exitCodeOf(child: ChildProcess): Promise<number> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/**
 * A session with a command beside an instance. A terminal is lent by `script` where the node has it.
 *
 * Caveats: that terminal keeps the size it begins with.
 */
export function openExec(
  surroundings: Surroundings,
  { command, tty, stdin, signal }: ExecRequest,
): { child: ChildProcess; session: ExecSession } {
  const child = tty ? spawnBeside(withTerm(surroundings), onTerminal(surroundings, command)) : spawnBeside(surroundings, command);
  const exitCode = exitCodeOf(child);
  // Whoever waits for it is told; a session that nobody waits for must not end the agent.
  exitCode.catch(() => undefined);
  const giveUp = (): void => killBeside(child);
  signal?.addEventListener('abort', giveUp, { once: true });
  child.once('exit', () => signal?.removeEventListener('abort', giveUp));
  const { stdin: input } = child;
  input?.on('error', () => undefined);
  if (!stdin && !tty) input?.end();
  const session: ExecSession = {
    output: merged(child),
    write: (data) => void input?.write(data),
    endInput: () => void input?.end(),
    resize: async () => undefined,
    exitCode,
  };
  return { child, session };
}

const withTerm = ({ env, workingDir }: Surroundings): Surroundings => ({ env: { TERM: 'xterm-256color', ...env }, workingDir });

function onTerminal({ env, workingDir }: Surroundings, command: readonly string[]): readonly string[] {
  const script = findCommand('script', process.env.PATH ?? '', workingDir);
  const [program = ''] = command;
  if (!script || !findCommand(program, env.PATH ?? '', workingDir)) return command;
  return process.platform === 'linux'
    ? [script, '-qefc', command.map(shellQuoted).join(' '), '/dev/null']
    : [script, '-q', '/dev/null', ...command];
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Both streams in the order they come, as fast as they are read. */
function merged(child: ChildProcess): AsyncIterable<LogChunk> {
  const output = new PassThrough({ objectMode: true });
  const pour = (source: Readable | null, stream: LogChunk['stream']): void => {
    source?.on('data', (data: Uint8Array) => {
      if (output.write({ stream, data })) return;
      source.pause();
      output.once('drain', () => source.resume());
    });
  };
  pour(child.stdout, 'stdout');
  pour(child.stderr, 'stderr');
  child.once('close', () => output.end());
  child.once('error', () => output.end());
  return output;
}
