import { PassThrough, Writable } from 'node:stream';
import type { V1Status } from '@kubernetes/client-node';
import type { ExecRequest, ExecSession, LogChunk } from '../runtime.ts';
import { outage } from './errors.ts';
import { CONTAINER } from './pod-spec.ts';
import type { Pods } from './pods.ts';

/** In which a client can say that its input ends. Older ones can only hang up, and would lose what is still to come. */
const WITH_END_OF_INPUT = 'v5.channel.k8s.io';

/** Runs a command in a pod. */
export async function execIn(pods: Pods, id: string, { command, tty, stdin }: ExecRequest): Promise<ExecSession> {
  const { namespace, name } = await pods.find(id);
  const { library, config } = await pods.cluster.connect();
  const output = new PassThrough({ objectMode: true, highWaterMark: 10_000 });
  const stdout = tty
    ? new Screen((data) => output.write({ stream: 'stdout', data }))
    : sink((data) => output.write({ stream: 'stdout', data }));
  const stderr = tty ? null : sink((data) => output.write({ stream: 'stderr', data }));
  const input = stdin ? new PassThrough() : null;
  let settle: (status: V1Status) => void = () => {};
  const status = new Promise<V1Status>((resolve) => {
    settle = (found) => {
      // The last thing that comes; the connection may be closed much later.
      output.end();
      resolve(found);
    };
  });
  const socket = await new library.Exec(config)
    .exec(namespace, name, CONTAINER, [...command], stdout, stderr, input, tty, (found) => settle(found))
    .catch((error: unknown) => Promise.reject(outage(error)));
  const broken = new Promise<never>((_, reject) => {
    socket.onclose = () => {
      output.end();
      reject(outage(new Error('the connection broke before the command ended')));
    };
  });
  const exitCode = Promise.race([status, broken]).then(exitCodeOf);
  // Whoever only reads the output need not wait for it.
  exitCode.catch(() => undefined);
  return {
    output: output as AsyncIterable<LogChunk>,
    write: (data) => void input?.write(data),
    endInput: () => {
      if (socket.protocol === WITH_END_OF_INPUT) input?.end();
    },
    resize: async (rows, columns) => {
      if (stdout instanceof Screen) stdout.resize(rows, columns);
    },
    exitCode,
  };
}

function exitCodeOf({ status, message, details }: V1Status): number {
  if (status === 'Success') return 0;
  const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (code === undefined) throw new Error(message ?? 'the command could not be run');
  return Number(code);
}

function sink(take: (data: Buffer) => void): Writable {
  return new Writable({
    write(data: Buffer, _encoding, done) {
      take(data);
      done();
    },
  });
}

/** A terminal that can change its size, as the library knows them. */
class Screen extends Writable {
  rows = 24;
  columns = 80;

  constructor(private readonly take: (data: Buffer) => void) {
    super();
  }

  resize(rows: number, columns: number): void {
    this.rows = rows;
    this.columns = columns;
    this.emit('resize');
  }

  override _write(data: Buffer, _encoding: string, done: () => void): void {
    this.take(data);
    done();
  }
}
