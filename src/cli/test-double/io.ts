import type { Io } from '../io.ts';

/** Streams that remember. */
export interface FakeIo extends Io {
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly interrupt: () => void;
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
    stdin: async () => overrides.input ?? '',
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
