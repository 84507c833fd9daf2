import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

export interface ApartOptions {
  /** Appended to; absent: what the child says is dropped. */
  readonly log?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  /** With a channel for messages; it also tells the child when this process is gone. */
  readonly ipc?: boolean;
}

/** Starts a child in a session of its own: Ctrl-C in the terminal reaches colony alone, which ends its children in order. */
export function spawnApart(command: string, args: readonly string[], { log, env = process.env, ipc = false }: ApartOptions): ChildProcess {
  const output = log === undefined ? 'ignore' : openSync(log, 'a');
  try {
    return spawn(command, args, { env, detached: true, stdio: ['ignore', output, output, ...(ipc ? (['ipc'] as const) : [])] });
  } finally {
    if (typeof output === 'number') closeSync(output);
  }
}
