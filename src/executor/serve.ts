import { pino } from 'pino';
import { keepRunning } from '../node/keep-running.ts';
import { installRuntime } from '../node/log.ts';
import type { Executor, Handler } from './index.ts';
import { createExecutorWorker, type RunOptions } from './run.ts';

export interface ServeOptions extends RunOptions {
  /** Ends it: no new calls, running ones may finish. */
  readonly signal: AbortSignal;
  /** Gets a line about every call and every change, for people. */
  readonly say: (line: string) => void;
}

/**
 * Serves an executor as a process of its own: waits for a Temporal that is not there, goes on after an outage, tells of every call.
 *
 * Caveat: takes the SDK's runtime for itself, so once per process.
 */
export async function serveExecutor(executor: Executor, { address, signal, say, ...settings }: ServeOptions): Promise<void> {
  const log = pino({ level: 'warn', base: {} }, { write: (line) => say(sentenceOf(line)) });
  installRuntime(log.child({}, { level: 'error' })); // the SDK warns of every failed call, which is told already
  const told: Executor = {
    ...executor,
    functions: Object.fromEntries(Object.entries(executor.functions).map(([name, handler]) => [name, telling(handler, say)])),
  };
  await keepRunning({
    address,
    createWorker: (connection) => createExecutorWorker(connection, told, settings),
    signal,
    log,
    onChange: (isReady) => {
      if (isReady) say(`ready: ${Object.keys(executor.functions).join(', ')} on task queue ${executor.executorType} (Temporal ${address})`);
    },
  });
}

/** A line of the log, for people. */
function sentenceOf(line: string): string {
  const { msg, reason, error } = JSON.parse(line) as { readonly msg?: string; readonly reason?: string; readonly error?: string };
  const cause = (reason ?? error)?.includes('ConnectionRefused') ? 'Temporal does not answer' : (reason ?? error);
  return [msg, cause].filter(Boolean).join(': ');
}

function telling(handler: Handler, say: (line: string) => void): Handler {
  return async (request, context) => {
    const { operation, action, kind, metadata } = request;
    const what = operation === 'finalize' ? 'finalize' : `${action} generation ${metadata.generation}`;
    const again = context.attempt > 1 ? `, attempt ${context.attempt}` : '';
    const subject = `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}: ${what}${again}`;
    const began = performance.now();
    try {
      const result = await handler(request, context);
      say(`${subject}: done in ${Math.round(performance.now() - began)} ms`);
      return result;
    } catch (error) {
      const { type, name, message } = error as { type?: string; name?: string; message?: string };
      say(`${subject}: ${type ?? name ?? 'Error'}: ${message}`);
      throw error;
    }
  };
}
