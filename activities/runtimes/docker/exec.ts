import type { Duplex } from 'node:stream';
import { PassThrough } from 'node:stream';
import type { ExecRequest, ExecSession, LogChunk } from '../runtime.ts';
import { demux } from './demux.ts';
import { type Engine, LOOK_TIMEOUT_MS } from './engine.ts';
import { isStatus, outage, unexpected } from './errors.ts';

/** Runs a command inside a container. The caller has looked whose it is. */
export async function execIn(engine: Engine, id: string, request: ExecRequest): Promise<ExecSession> {
  return await startExec(engine, await createExec(engine, id, request), request);
}

/** Says what the engine calls it; nothing runs yet. */
export async function createExec(engine: Engine, id: string, { command, tty, stdin }: ExecRequest): Promise<string> {
  const body = { AttachStdin: stdin, AttachStdout: true, AttachStderr: true, Tty: tty, Cmd: [...command] };
  try {
    return (await engine.call<{ Id: string }>('POST', `/containers/${id}/exec`, { body })).Id;
  } catch (error) {
    throw unexpected(error);
  }
}

export async function startExec(engine: Engine, exec: string, { tty }: ExecRequest): Promise<ExecSession> {
  let connection: Duplex;
  try {
    connection = await engine.hijack(`/exec/${exec}/start`, { Detach: false, Tty: tty }, { timeoutMs: LOOK_TIMEOUT_MS });
  } catch (error) {
    throw unexpected(error);
  }
  // Keeps what comes before somebody reads; up to this much, the end can be waited for without reading at all.
  const buffered = connection.pipe(new PassThrough({ highWaterMark: 1024 * 1024 }));
  const ended = new Promise<void>((resolve, reject) => {
    connection.once('end', resolve).once('close', resolve).once('error', reject);
  });
  connection.once('error', (error) => buffered.destroy(error));
  connection.once('close', () => buffered.end());
  const exitCode = ended.then(
    () => exitCodeOf(engine, exec),
    (error: unknown) => Promise.reject(outage(error)),
  );
  // Whoever only reads the output need not wait for it.
  exitCode.catch(() => undefined);
  return {
    output: tty ? plain(buffered) : demux(buffered),
    write: (data) => void connection.write(data),
    endInput: () => void connection.end(),
    resize: async (rows, columns) => {
      await engine.call('POST', `/exec/${exec}/resize`, { query: { h: rows, w: columns } });
    },
    exitCode,
  };
}

/** Nobody runs any more whom the engine has forgotten. */
export async function isExecRunning(engine: Engine, exec: string): Promise<boolean> {
  try {
    return (await engine.call<{ Running: boolean }>('GET', `/exec/${exec}/json`)).Running;
  } catch (error) {
    if (isStatus(error, 404)) return false;
    throw unexpected(error);
  }
}

async function* plain(source: AsyncIterable<Uint8Array>): AsyncGenerator<LogChunk> {
  for await (const data of source) yield { stream: 'stdout', data };
}

async function exitCodeOf(engine: Engine, exec: string): Promise<number> {
  const { ExitCode } = await engine.call<{ ExitCode: number | null }>('GET', `/exec/${exec}/json`);
  if (ExitCode === null) throw outage(new Error('the connection broke before the command ended'));
  return ExitCode;
}
