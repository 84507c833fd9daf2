import type { Duplex } from 'node:stream';
import { PassThrough } from 'node:stream';
import type { ExecRequest, ExecSession, LogChunk } from '../runtime.ts';
import { demux } from './demux.ts';
import { type Engine, LOOK_TIMEOUT_MS } from './engine.ts';
import { outage, unexpected } from './errors.ts';

/** Runs a command inside a container. The caller has looked whose it is. */
export async function execIn(engine: Engine, id: string, { command, tty, stdin }: ExecRequest): Promise<ExecSession> {
  const body = { AttachStdin: stdin, AttachStdout: true, AttachStderr: true, Tty: tty, Cmd: [...command] };
  let exec: string;
  let connection: Duplex;
  try {
    ({ Id: exec } = await engine.call<{ Id: string }>('POST', `/containers/${id}/exec`, { body }));
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

async function* plain(source: AsyncIterable<Uint8Array>): AsyncGenerator<LogChunk> {
  for await (const data of source) yield { stream: 'stdout', data };
}

async function exitCodeOf(engine: Engine, exec: string): Promise<number> {
  const { ExitCode } = await engine.call<{ ExitCode: number | null }>('GET', `/exec/${exec}/json`);
  if (ExitCode === null) throw outage(new Error('the connection broke before the command ended'));
  return ExitCode;
}
