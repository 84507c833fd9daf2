import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExecRequest, ExecSession, LogChunk, LogOptions, Usage } from '../../../activities/runtimes/runtime.ts';
import type { RuntimeName } from '../../../definitions/core/template.ts';
import { type DoorList, type DoorRuntime, type DoorRuntimes, EXEC_PROTOCOL } from './api.ts';
import { drained } from './drained.ts';
import type { DoorProblem } from './failures.ts';
import { type Frame, FrameReader, frame, jsonFrame, jsonIn } from './frames.ts';

const STATS_AT_ONCE = 100;
/** Longer than the agent itself waits for a runtime. */
const RUNTIMES_MS = 8_000;

/** What the door refused, or that nobody opened; the message is one sentence, `hint` says what to do. */
export class DoorError extends Error {
  override readonly name = 'DoorError';

  constructor(
    readonly code: string,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** A command that runs behind the door. */
export interface RemoteExec extends ExecSession {
  /** Done when what was written has left this process. */
  drained(): Promise<void>;
  /** Goes away without waiting for the end. */
  close(): void;
}

/** The other side of `serveNodeDoor`. Throws DoorError. */
export class NodeDoorClient {
  constructor(readonly path: string) {}

  /** What runs on this node: of one owner, or of all. */
  async instances(uid?: string): Promise<DoorList> {
    return this.#json<DoorList>(`/v1/instances${uid === undefined ? '' : `?${new URLSearchParams({ uid })}`}`);
  }

  /** What this node can run instances with, and what of it answers. Comes back in seconds, also when the agent is frozen. */
  async runtimes(timeoutMs = RUNTIMES_MS): Promise<readonly DoorRuntime[]> {
    return (await this.#json<DoorRuntimes>('/v1/runtimes', { signal: AbortSignal.timeout(timeoutMs) })).runtimes;
  }

  async stats(runtime: RuntimeName, ids: readonly string[]): Promise<readonly Usage[]> {
    const usage: Usage[] = [];
    for (let at = 0; at < ids.length; at += STATS_AT_ONCE) {
      const query = new URLSearchParams({ runtime, ids: ids.slice(at, at + STATS_AT_ONCE).join(',') });
      usage.push(...(await this.#json<{ usage: readonly Usage[] }>(`/v1/stats?${query}`)).usage);
    }
    return usage;
  }

  /** Ends quietly when the signal aborts. */
  async *logs(runtime: RuntimeName, id: string, { signal, tail, ...flags }: LogOptions): AsyncGenerator<LogChunk> {
    const query = new URLSearchParams(tail === undefined ? {} : { tail: String(tail) });
    for (const [name, isSet] of Object.entries(flags)) if (isSet) query.set(name, 'true');
    try {
      const response = await this.#open(request(this.#options('GET', `${placeOf(runtime, id)}/logs?${query}`, { signal })));
      const reader = new FrameReader();
      for await (const piece of response) {
        for (const one of reader.push(piece as Buffer)) yield chunkOf(one);
      }
      if (reader.isBroken) throw new DoorError('Lost', 'the connection to the node agent ended in the middle of the logs');
    } catch (error) {
      if (!signal.aborted) throw asDoorError(error, this.path);
    }
  }

  async exec(runtime: RuntimeName, id: string, wanted: ExecRequest): Promise<RemoteExec> {
    const asking = request(
      this.#options('POST', `${placeOf(runtime, id)}/exec`, { headers: { connection: 'Upgrade', upgrade: EXEC_PROTOCOL } }),
    );
    asking.end();
    const [socket, head] = await new Promise<[Duplex, Buffer]>((resolve, reject) => {
      asking.once('upgrade', (_response, socket, head) => resolve([socket, head]));
      asking.once('response', (response) => void problemIn(response).then(reject, reject));
      asking.once('error', (error) => reject(asDoorError(error, this.path)));
    });
    socket.write(jsonFrame('request', wanted));
    return new Remote(socket, head);
  }

  async #json<T>(path: string, more: object = {}): Promise<T> {
    const response = await this.#open(request(this.#options('GET', path, more)));
    return JSON.parse(await textOf(response)) as T;
  }

  async #open(asking: ClientRequest): Promise<IncomingMessage> {
    asking.end();
    const [response] = (await once(asking, 'response').catch((error: unknown) => {
      throw asDoorError(error, this.path);
    })) as [IncomingMessage];
    if (response.statusCode !== 200) throw await problemIn(response);
    return response;
  }

  #options(method: string, path: string, more: object = {}) {
    return { socketPath: this.path, method, path, agent: false as const, ...more };
  }
}

const placeOf = (runtime: RuntimeName, id: string): string => `/v1/instances/${runtime}/${encodeURIComponent(id)}`;

/** Frames of one connection, which must end with an exit or an error. The output must be read for the exit code to come. */
class Remote implements RemoteExec {
  readonly output: AsyncIterable<LogChunk>;
  readonly exitCode: Promise<number>;
  #exited: (code: number) => void = () => {};
  #failed: (error: Error) => void = () => {};

  constructor(
    private readonly socket: Duplex,
    head: Buffer,
  ) {
    this.exitCode = new Promise((resolve, reject) => {
      this.#exited = resolve;
      this.#failed = reject;
    });
    this.exitCode.catch(() => {}); // whoever reads the output may ask later
    socket.on('error', () => {}); // the reader sees it
    this.output = this.#read(head);
  }

  write(data: Uint8Array): void {
    if (this.socket.writable) this.socket.write(frame('stdin', data));
  }

  drained(): Promise<void> {
    return drained(this.socket);
  }

  endInput(): void {
    if (this.socket.writable) this.socket.write(frame('endInput'));
  }

  async resize(rows: number, columns: number): Promise<void> {
    if (this.socket.writable) this.socket.write(jsonFrame('resize', { rows, columns }));
  }

  close(): void {
    this.socket.destroy();
  }

  async *#read(head: Buffer): AsyncGenerator<LogChunk> {
    const reader = new FrameReader();
    try {
      for (const one of reader.push(head)) yield* this.#take(one);
      for await (const piece of this.socket) for (const one of reader.push(piece as Buffer)) yield* this.#take(one);
    } catch (error) {
      this.#failed(error instanceof DoorError ? error : lost());
    } finally {
      this.#failed(lost()); // nothing after an exit
      this.socket.destroy();
    }
  }

  *#take(one: Frame): Generator<LogChunk> {
    if (one.stream === 'exit') this.#exited(jsonIn<{ code: number }>(one).code);
    else yield chunkOf(one);
  }
}

const lost = (): DoorError => new DoorError('Lost', 'the connection to the node agent ended before the command did');

function chunkOf(one: Frame): LogChunk {
  if (one.stream === 'stdout' || one.stream === 'stderr') return { stream: one.stream, data: one.data };
  if (one.stream === 'error') throw asError(jsonIn<DoorProblem>(one));
  throw new DoorError('Lost', `the node agent sent a frame of ${one.stream}, which is not its to send`);
}

const asError = ({ reason, message }: DoorProblem): DoorError => new DoorError(reason, message);

async function problemIn(response: IncomingMessage): Promise<DoorError> {
  try {
    return asError(JSON.parse(await textOf(response)) as DoorProblem);
  } catch {
    return new DoorError('Failed', `the node agent answered ${response.statusCode} and nothing else`);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function asDoorError(error: unknown, path: string): DoorError {
  if (error instanceof DoorError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ECONNREFUSED')
    return new DoorError(
      'NoNodeAgent',
      `no node agent answers here (${path})`,
      'Start it with colony up, or set COLONY_HOME and COLONY_NODE as it has them.',
    );
  if (code === 'EACCES' || code === 'EPERM')
    return new DoorError(
      'Forbidden',
      `the node agent belongs to another user (${path})`,
      'Run the command as the user that runs colony up.',
    );
  return new DoorError('Lost', `the node agent did not answer: ${message}`);
}
