import { pino } from 'pino';
import type { HandlerRequest } from '../../definitions/handled/contract.ts';
import { keepRunning } from '../node/keep-running.ts';
import { installRuntime } from '../node/log.ts';
import type { CallContext } from './context.ts';
import type { Executor } from './index.ts';
import { createExecutorWorker, type WorkerSettings } from './run.ts';
import { stayInTouch } from './stay-in-touch.ts';
import type { StepCall } from './step.ts';

export interface ServeOptions extends WorkerSettings {
  /** Where Temporal is; a function is asked again and again, for one that may move. */
  readonly address: string | (() => string);
  /** Ends it: no new calls, running ones may finish. */
  readonly signal: AbortSignal;
  /** Gets a line about every call and every change, for people. */
  readonly say: (line: string) => void;
}

const ANSWER_MS = 3_000;

/**
 * Serves an executor as a process of its own: waits for a Temporal that is not there, goes on after an outage, follows one that
 * moves, tells of every call.
 *
 * Caveat: takes the SDK's runtime for itself, so once per process.
 */
export async function serveExecutor(executor: Executor, { address, signal, say, ...settings }: ServeOptions): Promise<void> {
  const log = pino({ level: 'warn', base: {} }, { write: (line) => say(sentenceOf(line)) });
  installRuntime(log.child({}, { level: 'error' })); // the SDK warns of every failed call, which is told already
  const { executorType, functions = {}, steps = {} } = executor;
  const told: Executor = { executorType, functions: allTelling(functions, say), steps: allTelling(steps, say) };
  const names = [...Object.keys(functions), ...Object.keys(steps)].join(', ');
  const locate = typeof address === 'string' ? () => address : address;
  let current = '';
  await keepRunning({
    address: () => {
      current = locate();
      return current;
    },
    createWorker: (connection) => createExecutorWorker(connection, told, settings),
    accompany: (connection, over) => {
      const ask = () => connection.withDeadline(Date.now() + ANSWER_MS, () => connection.workflowService.getSystemInfo({}));
      return stayInTouch({ ask, address: current, locate, say, signal: over });
    },
    signal,
    log,
    onChange: (isReady) => {
      if (isReady) say(`ready: ${names} on task queue ${executorType} (Temporal ${current})`);
    },
  });
}

/** A line of the log, for people. */
function sentenceOf(line: string): string {
  const { msg, reason, error } = JSON.parse(line) as { readonly msg?: string; readonly reason?: string; readonly error?: string };
  const cause = (reason ?? error)?.includes('ConnectionRefused') ? 'Temporal does not answer' : (reason ?? error);
  return [msg, cause].filter(Boolean).join(': ');
}

type Work<Request, Result> = (request: Request, context: CallContext) => Promise<Result>;

const allTelling = <Request, Result>(functions: Readonly<Record<string, Work<Request, Result>>>, say: (line: string) => void) =>
  Object.fromEntries(Object.entries(functions).map(([name, work]) => [name, telling(work, say)]));

function telling<Request, Result>(work: Work<Request, Result>, say: (line: string) => void): Work<Request, Result> {
  return async (request, context) => {
    const subject = subjectOf(request as Partial<HandlerRequest & StepCall>, context.attempt);
    const began = performance.now();
    try {
      const result = await work(request, context);
      say(`${subject}: done in ${Math.round(performance.now() - began)} ms`);
      return result;
    } catch (error) {
      const { type, name, message } = error as { type?: string; name?: string; message?: string };
      say(`${subject}: ${type ?? name ?? 'Error'}: ${message}`);
      throw error;
    }
  };
}

/** What a call is about: a resource, or a step of a run. */
function subjectOf(
  { operation, action, kind, metadata, run, step, namespace, attempt: tries = 1 }: Partial<HandlerRequest & StepCall>,
  attempt: number,
): string {
  const again = (count: number): string => (count > 1 ? `, attempt ${count}` : '');
  if (!metadata) return `WorkflowRun ${namespace ? `${namespace}/` : ''}${run}: step ${step}${again(tries)}`;
  const what = operation === 'finalize' ? 'finalize' : `${action} generation ${metadata.generation}`;
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}: ${what}${again(attempt)}`;
}
