import { NativeConnection, type Worker } from '@temporalio/worker';
import { pause } from '../client/pause.ts';
import type { Logger } from './log.ts';

export interface KeepRunning {
  /** A function is asked before every new connection. */
  readonly address: string | (() => string);
  /** Called for every new connection. */
  readonly createWorker: (connection: NativeConnection) => Promise<Worker>;
  /** Runs beside the worker, on the same connection, until the signal; when it fails, both are made anew. */
  readonly accompany?: (connection: NativeConnection, signal: AbortSignal) => Promise<void>;
  /** Ends the worker politely. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** A worker polls (true), or none does (false) and why. */
  readonly onChange: (isReady: boolean, reason?: string) => void;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/**
 * Keeps one worker polling until the signal comes: waits for a Temporal that is not there yet, and makes a new worker when one
 * gives up. Guarantees: fails never; says each new reason once.
 */
export async function keepRunning({ address, createWorker, accompany, signal, log, onChange }: KeepRunning): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  let said = '';
  while (!signal.aborted) {
    const place = typeof address === 'string' ? address : address();
    try {
      await runOnce(place, { createWorker, accompany }, signal, () => {
        waitMs = FIRST_WAIT_MS;
        said = '';
        onChange(true);
      });
    } catch (error) {
      const { message } = error as Error;
      onChange(false, message);
      if (message !== said) log.warn({ address: place, reason: message }, 'no worker is running; trying again');
      said = message;
      await pause(waitMs, { signal });
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    }
  }
}

async function runOnce(
  address: string,
  { createWorker, accompany }: { createWorker: KeepRunning['createWorker']; accompany: KeepRunning['accompany'] },
  signal: AbortSignal,
  onReady: () => void,
): Promise<void> {
  const connection = await NativeConnection.connect({ address });
  try {
    const worker = await createWorker(connection);
    const over = new AbortController();
    let isStopping = false;
    const stop = (): void => {
      if (!isStopping) worker.shutdown();
      isStopping = true;
    };
    const run = worker.run();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const companion = accompany?.(connection, over.signal).then(
      () => undefined,
      (error: unknown) => {
        if (!over.signal.aborted) stop();
        return error;
      },
    );
    onReady();
    try {
      await run;
    } finally {
      signal.removeEventListener('abort', stop);
      over.abort();
      await companion;
    }
    const failure = await companion;
    if (failure !== undefined) throw failure;
  } finally {
    await connection.close();
  }
}
