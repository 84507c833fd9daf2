import { shorten } from '../../definitions/core/quote.ts';
import type { Io } from './io.ts';
import { humanSpan } from './output/age.ts';

const QUIET_MS = 2_000;
const FRAME_MS = 120;
const REMIND_MS = 10_000;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Says something in between, without a spinner in the way. */
export type Aside = (say: () => void) => void;

/**
 * Does the work; after two seconds says on stderr what is being waited for. A terminal sees one line that moves and
 * then vanishes, a file one line now and then.
 */
export async function withProgress<T>(io: Io, label: () => string, work: (aside: Aside) => Promise<T>): Promise<T> {
  const began = io.now();
  const show = io.errIsTerminal ? spinner(io, label, began) : reminder(io, label, began);
  const first = setTimeout(show.start, QUIET_MS);
  try {
    return await work((say) => {
      show.clear();
      say();
    });
  } finally {
    clearTimeout(first);
    show.stop();
  }
}

interface Show {
  start(): void;
  clear(): void;
  stop(): void;
}

function spinner(io: Io, label: () => string, began: number): Show {
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;
  const clear = (): void => {
    if (timer) io.err('\r\u001b[K');
  };
  const draw = (): void => {
    frame += 1;
    const span = ` (${humanSpan(io.now() - began)})`;
    const room = Math.max(20, io.keyboard.size().columns - span.length - 3); // a line that wraps could not be taken back
    io.err(`\r\u001b[K${FRAMES[frame % FRAMES.length]} ${shorten(label(), room)}${span}`);
  };
  return {
    start: () => {
      draw();
      timer = setInterval(draw, FRAME_MS);
    },
    clear,
    stop: () => {
      clearInterval(timer);
      clear();
    },
  };
}

function reminder(io: Io, label: () => string, began: number): Show {
  let timer: NodeJS.Timeout | undefined;
  const say = (): void => io.err(`${label()} … (${humanSpan(io.now() - began)})\n`);
  return {
    start: () => {
      say();
      timer = setInterval(say, REMIND_MS);
    },
    clear: () => {},
    stop: () => clearInterval(timer),
  };
}
