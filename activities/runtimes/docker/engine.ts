import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { Unreachable } from '../runtime.ts';
import type { Credentials } from './credentials.ts';
import { EngineError, outage } from './errors.ts';

/** What a request may bring along. */
export interface CallOptions {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: object;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** What the engine may show a registry. */
  readonly credentials?: Credentials | undefined;
}

type Method = 'GET' | 'POST' | 'DELETE';

/**
 * The requests of this runtime to one engine.
 *
 * Guarantees: every call comes back; a refusal of the engine is an EngineError, everything else that goes wrong is Unreachable.
 * Caveats: a call that is Unreachable may still be done by the engine, now or later.
 */
export interface Engine {
  /** One question, one whole answer (parsed JSON, undefined when there is none). */
  call<T = void>(method: Method, path: string, options?: CallOptions): Promise<T>;
  /** An answer that goes on. The time-out holds until it begins. */
  open(method: Method, path: string, options?: CallOptions): Promise<IncomingMessage>;
  /** A connection that both sides write to. */
  hijack(path: string, body: object, options?: CallOptions): Promise<Duplex>;
  /** The engine's own socket on this machine, if it has one. */
  readonly socketPath?: string;
}

/** For looking; making and starting may take longer. */
export const LOOK_TIMEOUT_MS = 30_000;
export const CHANGE_TIMEOUT_MS = 120_000;

const OK = { 101: true, 200: true, 201: true, 204: true, 304: true } as const;

interface Modem {
  readonly socketPath?: unknown;
  dial(options: object, callback: (error: Error | null, answer: unknown) => void): void;
}

/** Speaks through dockerode's connection (socket, TCP, TLS or ssh), with the process's keep-alive agent. */
export function engineOf(docker: Docker): Engine {
  const modem = docker.modem as Modem;

  /** Always as a stream: docker-modem waits for ever for a body that breaks off. */
  const dial = async <T>(method: Method, path: string, { query = {}, body = {} }: CallOptions, signal: AbortSignal, extra: object = {}) => {
    try {
      return await new Promise<T>((resolve, reject) => {
        if (signal.aborted) throw signal.reason;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        const request = { path: `${path}?`, method, options: { _query: query, _body: body }, statusCodes: OK, abortSignal: signal };
        modem.dial({ ...request, isStream: true, ...extra }, (error, answer) => (error ? reject(error) : resolve(answer as T)));
      });
    } catch (error) {
      throw engineError(error, signal);
    }
  };

  const ask = async <T>(method: Method, path: string, options: CallOptions): Promise<T> => {
    const { signal, end } = limited({ timeoutMs: LOOK_TIMEOUT_MS, ...options });
    try {
      return await parsed<T>(await dial<IncomingMessage>(method, path, options, signal));
    } catch (error) {
      throw engineError(error, signal);
    } finally {
      end();
    }
  };

  /** The time-out holds until the answer begins, the caller's signal until it ends. */
  const begin = async <T extends Duplex | IncomingMessage>(
    method: Method,
    path: string,
    options: CallOptions,
    extra: object,
  ): Promise<T> => {
    const { signal, end } = limited(options);
    try {
      const answer = await dial<T>(method, path, options, signal, extra);
      const stop = () => answer.destroy();
      options.signal?.addEventListener('abort', stop, { once: true });
      answer.once('close', () => options.signal?.removeEventListener('abort', stop));
      return answer;
    } finally {
      end();
    }
  };

  return {
    ...(typeof modem.socketPath === 'string' && { socketPath: modem.socketPath }),
    async call<T>(method: Method, path: string, options: CallOptions = {}) {
      try {
        return await ask<T>(method, path, options);
      } catch (error) {
        // The engine may close an idle connection just when it is used again; asking twice changes nothing.
        if (method !== 'GET' || !wasReset(error)) throw error;
        return await ask<T>(method, path, options);
      }
    },
    open: (method, path, options = {}) =>
      begin<IncomingMessage>(method, path, options, options.credentials ? { authconfig: options.credentials } : {}),
    hijack: (path, body, options = {}) =>
      begin<Duplex>('POST', path, { ...options, body }, { isStream: false, hijack: true, openStdin: true }),
  };
}

/** Aborts after the time-out, and with the caller's signal, until `end`. */
function limited({ timeoutMs, signal }: CallOptions): { readonly signal: AbortSignal; readonly end: () => void } {
  const limit = new AbortController();
  const stop = () => limit.abort(signal?.reason);
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => limit.abort(new Error(`no answer in ${timeoutMs / 1000} s`)), timeoutMs);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  };
  return { signal: limit.signal, end };
}

async function parsed<T>(answer: IncomingMessage): Promise<T> {
  answer.setEncoding('utf8');
  let text = '';
  for await (const chunk of answer) text += chunk;
  if (text.trim() === '') return undefined as T;
  // The ping answers with a bare word.
  return (answer.headers['content-type']?.startsWith('text/plain') ? text : JSON.parse(text)) as T;
}

function engineError(error: unknown, signal: AbortSignal): Error {
  if (error instanceof EngineError || error instanceof Unreachable) return error;
  return EngineError.from(error) ?? outage(signal.aborted ? signal.reason : error);
}

const wasReset = (error: unknown): boolean =>
  error instanceof Unreachable && ['ECONNRESET', 'EPIPE'].includes(String((error.cause as NodeJS.ErrnoException | undefined)?.code));
