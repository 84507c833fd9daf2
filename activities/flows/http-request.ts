import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { shorten } from '../../definitions/core/quote.ts';
import { whileReporting } from '../instances/reporting.ts';
import type { Opened, Revealer } from '../secrets/revealer.ts';
import { fitting } from './fitting.ts';
import { callHttp, type HttpAnswer, NotAllowed } from './http-call.ts';
import type { HttpPolicy } from './http-policy.ts';

export interface HttpRequest {
  readonly url: string;
  /** Default: GET, or POST when there is a body. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is; anything else as JSON. */
  readonly body?: unknown;
  /** Which statuses are good; default: all below 400. */
  readonly expect?: Status | readonly Status[];
  readonly timeoutMs?: number;
  /** Sent as header Idempotency-Key unless the caller has said one. */
  readonly idempotencyKey?: string;
}

/** A template may have filled in the text of a number. */
type Status = number | string;

export interface HttpResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it says that it is JSON, else text. */
  readonly body: unknown;
  /** The body was longer than what is kept of it. */
  readonly truncated?: true;
}

const USUAL_TIMEOUT_MS = 30_000;
const MAX_HEADERS_BYTES = 4 * 1024;
/** Of the body, with room for the headers in what a run hands on of a step. */
const MAX_KEPT_BYTES = 24 * 1024;
const SHOWN_CHARS = 200;

/** What is sent, with its secrets; they are nowhere but on the way. */
type Sent = Opened<Pick<HttpRequest, 'url' | 'headers' | 'body'>>;

/**
 * The activity `httpRequest`: one HTTP call of a flow. Secrets that address, headers and body name are put in here.
 *
 * Fails with HttpStatus (an answer that was not expected), Unreachable (no answer; may be tried again), Forbidden (the operator does
 * not allow the address), Invalid (no address at all) or SecretMissing. Neither answer nor failure has a secret in it.
 */
export function createHttpRequest(policy: HttpPolicy, revealer: Revealer): (request: HttpRequest) => Promise<HttpResult> {
  return (request) => whileReporting(async ({ signal }) => requestHttp(request, policy, signal, await opened(request, revealer)));
}

/** What a request sends, with the secrets that it names. */
export const opened = ({ url, headers = {}, body }: HttpRequest, revealer: Revealer): Promise<Sent> =>
  revealer.open({ url, headers, body });

const asWritten = (value: HttpRequest): Sent => ({ value, conceal: (text) => text, longest: 0 });

/**
 * The same for whoever is an activity already.
 *
 * @param sent what the request becomes on the way; what is said of the call goes by the request as it was written.
 */
export async function requestHttp(
  request: HttpRequest,
  policy: HttpPolicy,
  signal: AbortSignal,
  sent: Sent = asWritten(request),
): Promise<HttpResult> {
  const answer = concealed(await answerTo(request, policy, signal, sent), sent);
  if (!isExpected(answer.status, request.expect)) {
    const said = shorten(answer.text.replace(/\s+/g, ' ').trim(), SHOWN_CHARS);
    throw ApplicationFailure.retryable(`${placeOf(request.url)} answered ${answer.status}${said ? `: ${said}` : ''}`, 'HttpStatus');
  }
  const { status, text, headers } = answer;
  const kept = fitting(text, 'start', MAX_KEPT_BYTES);
  const isCut = answer.isCut || kept.length < text.length;
  return { status, headers: few(headers), body: isCut ? kept : bodyOf(answer), ...(isCut ? { truncated: true as const } : {}) };
}

/** Where the answer was cut, half a secret may be at its end. */
function concealed({ text, headers, isCut, ...answer }: HttpAnswer, { conceal, longest }: Sent): HttpAnswer {
  return {
    ...answer,
    isCut,
    text: conceal(isCut ? text.slice(0, text.length - longest) : text),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, conceal(value)])),
  };
}

async function answerTo(request: HttpRequest, policy: HttpPolicy, signal: AbortSignal, { value, conceal }: Sent): Promise<HttpAnswer> {
  const { url, body, headers } = value;
  const { method = body === undefined ? 'GET' : 'POST', timeoutMs = USUAL_TIMEOUT_MS } = request;
  const place = placeOf(request.url);
  if (!URL.canParse(url)) {
    throw ApplicationFailure.nonRetryable(`${JSON.stringify(shorten(request.url, SHOWN_CHARS))} is no address`, 'Invalid');
  }
  const late = AbortSignal.timeout(timeoutMs);
  const text = textOf(body);
  const call = {
    method: method.toUpperCase(),
    url,
    headers: headersOf({ ...request, ...(headers ? { headers } : {}) }),
    signal: AbortSignal.any([signal, late]),
    isConfidential: text !== textOf(request.body),
  };
  try {
    return await callHttp(text === undefined ? call : { ...call, body: text }, policy);
  } catch (error) {
    if (signal.aborted) throw new CancelledFailure('the call is no longer wanted');
    if (error instanceof NotAllowed) throw ApplicationFailure.nonRetryable(conceal(error.message), 'Forbidden');
    if (late.aborted) throw unreachable(place, `no answer within ${timeoutMs / 1000} s`);
    if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_')) {
      throw ApplicationFailure.nonRetryable(conceal((error as Error).message), 'Invalid');
    }
    throw unreachable(place, conceal(reasonOf(error)));
  }
}

function textOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

const unreachable = (place: string, why: string): ApplicationFailure =>
  ApplicationFailure.retryable(`${place} cannot be reached: ${why}`, 'Unreachable');

/** The host of an address as it was written: without path and query, which may hold what is nobody's business. */
function placeOf(url: string): string {
  const plain = url.replace(/\$\{secret:[^{}]*\}/g, 'secret');
  return URL.canParse(plain) ? new URL(plain).host : 'its address';
}

function reasonOf(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] };
  return errors?.[0]?.code ?? code ?? message;
}

function headersOf({ headers = {}, body, idempotencyKey }: HttpRequest): Readonly<Record<string, string>> {
  const named = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  return {
    ...(named.has('user-agent') ? {} : { 'User-Agent': 'colony' }),
    ...(body === undefined || typeof body === 'string' || named.has('content-type') ? {} : { 'Content-Type': 'application/json' }),
    ...(idempotencyKey === undefined || named.has('idempotency-key') ? {} : { 'Idempotency-Key': idempotencyKey }),
    ...headers,
  };
}

function isExpected(status: number, expect: HttpRequest['expect']): boolean {
  return expect === undefined ? status < 400 : [expect].flat().some((one) => Number(one) === status);
}

function bodyOf({ headers, text }: HttpAnswer): unknown {
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '');
  if (!isJson) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** As many headers as a result has room for. */
function few(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let room = MAX_HEADERS_BYTES;
  const kept = Object.entries(headers).filter(([name, value]) => {
    room -= name.length + value.length + 6;
    return room >= 0;
  });
  return Object.fromEntries(kept);
}
