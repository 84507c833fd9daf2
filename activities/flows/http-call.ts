import { lookup } from 'node:dns';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { closedSentence, type HttpPolicy, isClosed, refusalOf } from './http-policy.ts';

export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The body is for nobody but the server that was meant. */
  readonly isConfidential?: boolean;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body had more than what is kept of it. */
  readonly isCut: boolean;
}

/** The call may not go there. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

const MAX_REDIRECTS = 5;
/** What is read of a body. */
const MAX_BODY_BYTES = 64 * 1024;
/** Told again to another server; everything else may be a secret between the caller and the first one. */
const HARMLESS = ['accept', 'content-type', 'user-agent'];

/**
 * Makes one HTTP call and follows redirects.
 *
 * Guarantees: connects only to addresses that were looked at, after their names were resolved and for every redirect; no header but
 * harmless ones goes to another server than the one it was meant for, and no body that is confidential.
 */
export async function callHttp(call: HttpCall, policy: HttpPolicy): Promise<HttpAnswer> {
  let next = { ...call, url: new URL(call.url) };
  for (let redirects = 0; ; redirects += 1) {
    const refusal = refusalOf(next.url, policy);
    if (refusal !== undefined) throw new NotAllowed(refusal);
    const answer = await once(next);
    const location = REDIRECTS.includes(answer.statusCode ?? 0) ? answer.headers.location : undefined;
    if (location === undefined) return await read(answer);
    answer.destroy();
    if (redirects === MAX_REDIRECTS) throw new Error(`it sent us on more than ${MAX_REDIRECTS} times`);
    next = redirected(next, new URL(location, next.url), answer.statusCode ?? 0);
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

type Hop = Omit<HttpCall, 'url'> & { readonly url: URL };

function redirected(hop: Hop, url: URL, status: number): Hop {
  const isElsewhere = url.origin !== hop.url.origin;
  const kept = Object.entries(hop.headers).filter(([name]) => !isElsewhere || HARMLESS.includes(name.toLowerCase()));
  const becomesGet = (status === 303 && hop.method !== 'HEAD') || ((status === 301 || status === 302) && hop.method === 'POST');
  const { body, ...rest } = hop;
  if (isElsewhere && hop.isConfidential && !becomesGet) throw new NotAllowed(`it sent us on to ${url.host}, where no secret is told`);
  const headers = Object.fromEntries(kept.filter(([name]) => !becomesGet || name.toLowerCase() !== 'content-type'));
  return { ...rest, url, headers, ...(becomesGet ? { method: 'GET' } : body === undefined ? {} : { body }) };
}

/** Resolves to the answer's head; its body is still to come. */
function once({ method, url, headers, body, signal }: Hop): Promise<IncomingMessage> {
  const options: RequestOptions = {
    method,
    headers: { 'accept-encoding': 'identity', ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
    signal,
    lookup: onlyOpen,
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Names are resolved once and connected to as they were looked at: a second answer of a name server cannot slip in. */
const onlyOpen: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 4);
    const closed = addresses.find(({ address }) => isClosed(address));
    if (closed) return callback(new NotAllowed(closedSentence(hostname, closed.address)), '', 4);
    if (options.all) return callback(null, addresses);
    callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
  });
};

async function read(answer: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) break;
  }
  answer.destroy();
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]);
  return {
    status: answer.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    text: Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8'),
    isCut: bytes > MAX_BODY_BYTES,
  };
}
