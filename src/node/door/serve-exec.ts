import type { Duplex } from 'node:stream';
import type { ExecRequest, ExecSession, Runtime } from '../../../activities/runtimes/runtime.ts';
import { drained } from './drained.ts';
import { problemOf, Refusal } from './failures.ts';
import { type Frame, FrameReader, frame, jsonFrame, jsonIn } from './frames.ts';

/** A command may leave children behind that hold its output open; when those say nothing for so long, the command's own end counts. */
const LINGER_MS = 1_000;

/**
 * Runs one command in an instance over a connection that was upgraded. The first frame is the request; then stdin, endInput and
 * resize come, and stdout, stderr and at last exit or error go. When the caller is gone the input ends, the output is read no more,
 * and the `signal` that goes with the request aborts: a runtime that can end the command then should.
 */
export async function serveExec(runtime: Runtime, id: string, socket: Duplex, head: Buffer): Promise<void> {
  const incoming = new Incoming(socket, head);
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  try {
    const session = await runtime.exec(id, { ...requestOf(await incoming.first()), signal: gone.signal });
    incoming.hand(session);
    const output = session.output[Symbol.asyncIterator]();
    socket.once('close', () => void output.return?.()?.catch(() => {}));
    await pump(output, session, socket);
    socket.write(jsonFrame('exit', { code: await session.exitCode }));
  } catch (error) {
    if (!socket.destroyed) socket.write(jsonFrame('error', problemOf(error).problem));
  } finally {
    socket.end();
  }
}

function requestOf(first: Frame | undefined): ExecRequest {
  if (first?.stream !== 'request') throw new Refusal(400, 'BadRequest', 'an exec begins with a request frame');
  const { command, tty, stdin } = jsonIn<{ command?: unknown; tty?: unknown; stdin?: unknown }>(first);
  if (!Array.isArray(command) || command.length === 0 || !command.every((word) => typeof word === 'string'))
    throw new Refusal(400, 'BadRequest', 'the request names no command');
  return { command, tty: tty === true, stdin: stdin === true };
}

/** Comes back when the output is over, or the command is and its output has fallen silent. */
async function pump(output: AsyncIterator<{ stream: 'stdout' | 'stderr'; data: Uint8Array }>, session: ExecSession, socket: Duplex) {
  let silence: NodeJS.Timeout | undefined;
  let isOver = false;
  let giveUp = (): void => {};
  const silent = new Promise<'silent'>((resolve) => {
    giveUp = () => resolve('silent');
  });
  const wait = (): void => {
    clearTimeout(silence);
    if (isOver) silence = setTimeout(giveUp, LINGER_MS);
  };
  const ended = (): void => {
    isOver = true;
    wait();
  };
  session.exitCode.then(ended, ended);
  try {
    for (;;) {
      const next = await Promise.race([output.next(), silent]);
      if (next === 'silent' || next.done || socket.destroyed) return;
      clearTimeout(silence);
      socket.write(frame(next.value.stream, next.value.data));
      await drained(socket);
      wait();
    }
  } finally {
    clearTimeout(silence);
  }
}

/** The frames that the caller sends: the first is waited for, the others go to the session in order. */
class Incoming {
  readonly #reader = new FrameReader();
  readonly #waiting: Frame[] = [];
  #session: ExecSession | undefined;
  #isOver = false;
  #wake = (): void => {};

  constructor(
    private readonly socket: Duplex,
    head: Buffer,
  ) {
    socket.on('data', (piece: Buffer) => this.#take(piece));
    for (const end of ['end', 'close', 'error']) socket.on(end, () => this.#end());
    if (head.length > 0) this.#take(head);
  }

  async first(): Promise<Frame | undefined> {
    if (this.#waiting.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#waiting.shift();
  }

  hand(session: ExecSession): void {
    this.#session = session;
    for (const one of this.#waiting.splice(0)) this.#pass(one, session);
    if (this.#isOver) session.endInput();
  }

  #take(piece: Buffer): void {
    try {
      for (const one of this.#reader.push(piece)) {
        if (this.#session) this.#pass(one, this.#session);
        else this.#waiting.push(one);
      }
    } catch {
      this.socket.destroy(); // not somebody who speaks our language
    }
    this.#wake();
  }

  #pass(one: Frame, session: ExecSession): void {
    switch (one.stream) {
      case 'stdin':
        return session.write(one.data);
      case 'endInput':
        return session.endInput();
      case 'resize': {
        const { rows, columns } = jsonIn<{ rows?: unknown; columns?: unknown }>(one);
        if (isSize(rows) && isSize(columns)) session.resize(rows, columns).catch(() => {}); // the next one may fit
        return;
      }
      default:
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session?.endInput();
    this.#wake();
    this.socket.destroy();
  }
}

const isSize = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 10_000;
