import { pause } from '../client/pause.ts';
import type { Io } from './io.ts';

const LOOK_MS = 1_000;
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/** One look at something that changes. */
export interface Drawing {
  readonly text: string;
  /** What must differ for it to be another one; times that pass do not count. */
  readonly state: string;
  /** Nothing more will change. */
  readonly isLast?: boolean;
}

/** Draws until nothing more changes or Ctrl-C: on a terminal in the same place, else once more for every change. */
export async function redraw(io: Io, look: () => Promise<Drawing>): Promise<void> {
  const signal = io.interrupted();
  let before: string | undefined;
  for (;;) {
    const { text, state, isLast = false } = await look();
    if (io.outIsTerminal) io.out(`${CLEAR}${text}`);
    else if (state !== before) io.out(`${before === undefined ? '' : '\n'}${text}`);
    before = state;
    if (isLast || signal.aborted) return;
    await pause(LOOK_MS, { signal });
    if (signal.aborted) return;
  }
}
