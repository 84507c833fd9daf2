import type { Io } from '../io.ts';
import type { Keyboard } from '../terminal.ts';

/** Streams that remember. */
export interface FakeIo extends Io {
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly interrupt: () => void;
}

/** A keyboard on which these words are typed, and then the end. */
export function fakeKeyboard(typed: readonly string[] = [], overrides: Partial<Keyboard> = {}): Keyboard {
  return {
    isTerminal: false,
    size: () => ({ rows: 24, columns: 80 }),
    onResize: () => () => {},
    raw: () => () => {},
    read: async function* () {
      for (const words of typed) yield Buffer.from(words);
    },
    ...overrides,
  };
}

export const NOW = Date.parse('2026-03-01T12:00:00Z');

export function fakeIo(overrides: Partial<Io> & { input?: string } = {}): FakeIo {
  let stdout = '';
  let stderr = '';
  const controller = new AbortController();
  return {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    bytes: async (stream, data) => {
      const text = Buffer.from(data).toString('utf8');
      if (stream === 'out') stdout += text;
      else stderr += text;
    },
    stdin: async () => overrides.input ?? '',
    keyboard: fakeKeyboard(),
    outIsTerminal: false,
    errIsTerminal: false,
    colour: false,
    now: () => NOW,
    env: {},
    interrupted: () => controller.signal,
    ...overrides,
    stdout: () => stdout,
    stderr: () => stderr,
    interrupt: () => controller.abort(),
  };
}
