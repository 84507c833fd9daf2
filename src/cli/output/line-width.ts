import type { Io } from '../io.ts';

/**
 * How wide a row of a table may be: as wide as the terminal, which would break it in the middle of a word; for programs, which read
 * line by line, as wide as it gets. A function, because asking the terminal takes longer than all else that `get` does.
 */
export const lineWidth = ({ outIsTerminal, keyboard }: Pick<Io, 'outIsTerminal' | 'keyboard'>): (() => number) =>
  outIsTerminal ? () => keyboard.size().columns : () => Number.POSITIVE_INFINITY;
