/** Where a command writes and what it may ask the terminal; a double of it runs every command in tests. */
export interface Io {
  /** Results. */
  out(text: string): void;
  /** Everything said about the work: errors, warnings, progress. */
  err(text: string): void;
  stdin(): Promise<string>;
  /** stderr is a terminal: spinners are welcome. */
  readonly errIsTerminal: boolean;
  /** stdout is a terminal and colours are wanted. */
  readonly colour: boolean;
  readonly now: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts at the first Ctrl-C; a second one ends the process as usual. */
  interrupted(): AbortSignal;
}

/** The process's own streams. */
export function processIo(): Io {
  const { env, stdout, stderr } = process;
  const plain = env.NO_COLOR !== undefined && env.NO_COLOR !== '';
  for (const stream of [stdout, stderr]) stream.on('error', endOnClosedPipe);
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    stdin: readStdin,
    errIsTerminal: stderr.isTTY === true && env.TERM !== 'dumb',
    colour: stdout.isTTY === true && !plain && env.TERM !== 'dumb',
    now: Date.now,
    env,
    interrupted: onInterrupt,
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
