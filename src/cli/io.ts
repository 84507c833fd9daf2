import { once } from 'node:events';
import { isatty } from 'node:tty';
import { type Keyboard, processKeyboard } from './terminal.ts';

const STDOUT = 1;
const STDERR = 2;

/** Where a command writes and what it may ask the terminal; a double of it runs every command in tests. */
export interface Io {
  /** Results. */
  out(text: string): void;
  /** Everything said about the work: errors, warnings, progress. */
  err(text: string): void;
  /** Bytes as they are; comes back when there is room for more. */
  bytes(stream: 'out' | 'err', data: Uint8Array): Promise<void>;
  stdin(): Promise<string>;
  readonly keyboard: Keyboard;
  /** stdout is a terminal: what it could obey must be escaped. */
  readonly outIsTerminal: boolean;
  /** stderr is a terminal: spinners are welcome. */
  readonly errIsTerminal: boolean;
  /** stdout is a terminal and colours are wanted. */
  readonly colour: boolean;
  readonly now: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts at the first Ctrl-C; a second one ends the process as usual. */
  interrupted(): AbortSignal;
}

/** The process's own streams. Each is opened when it is first used, which takes a while. */
export function processIo(): Io {
  const { env } = process;
  const plain = env.NO_COLOR !== undefined && env.NO_COLOR !== '';
  const isTerminal = (stream: number): boolean => env.TERM !== 'dumb' && isatty(stream);
  return {
    out: writer(() => process.stdout),
    err: writer(() => process.stderr),
    bytes: async (stream, data) => {
      const to = stream === 'out' ? process.stdout : process.stderr;
      if (to.listenerCount('error') === 0) to.on('error', endOnClosedPipe);
      if (!to.write(data)) await once(to, 'drain');
    },
    stdin: readStdin,
    keyboard: processKeyboard(),
    outIsTerminal: isTerminal(STDOUT),
    errIsTerminal: isTerminal(STDERR),
    colour: isTerminal(STDOUT) && !plain,
    now: Date.now,
    env,
    interrupted: onInterrupt,
  };
}

function writer(open: () => NodeJS.WriteStream): (text: string) => void {
  let stream: NodeJS.WriteStream | undefined;
  return (text) => {
    stream ??= open().on('error', endOnClosedPipe);
    stream.write(text);
  };
}

/** `colony get | head` is no error. */
function endOnClosedPipe(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  return controller.signal;
}
