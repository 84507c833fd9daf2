/** Standard input as a command elsewhere needs it; a double of it types in tests. */
export interface Keyboard {
  /** Both what is typed and what is shown go to a terminal. */
  readonly isTerminal: boolean;
  size(): Size;
  /** Answers with the way to stop that. */
  onResize(tell: (size: Size) => void): () => void;
  /** Every key is passed on as it is, Ctrl-C too. Answers with the way back, which is also gone when the process ends. */
  raw(): () => void;
  read(): AsyncIterable<Uint8Array>;
}

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

const USUAL: Size = { rows: 24, columns: 80 };

/** The process's own keyboard; its streams are opened when they are first used. */
export function processKeyboard(): Keyboard {
  return {
    get isTerminal() {
      return process.stdin.isTTY === true && process.stdout.isTTY === true;
    },
    size: () => ({ rows: process.stdout.rows || USUAL.rows, columns: process.stdout.columns || USUAL.columns }),
    onResize: (tell) => {
      const changed = (): void => tell({ rows: process.stdout.rows, columns: process.stdout.columns });
      process.stdout.on('resize', changed);
      return () => void process.stdout.removeListener('resize', changed);
    },
    raw: () => {
      const restore = (): void => {
        process.removeListener('exit', restore);
        process.stdin.setRawMode(false);
        process.stdin.pause();
      };
      process.once('exit', restore);
      process.stdin.setRawMode(true);
      return restore;
    },
    read: () => process.stdin,
  };
}
