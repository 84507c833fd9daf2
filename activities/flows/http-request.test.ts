import dns from 'node:dns';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Revealer } from '../secrets/revealer.ts';
import { openPolicy } from './http-policy.ts';
import { type HttpRequest, opened, requestHttp } from './http-request.ts';

/** The one double: a name that stands for addresses which no test may have. */
const { lookup } = dns;
const rebound = (name: string, ...rest: unknown[]): void => {
  if (name !== 'rebound.example') return Reflect.apply(lookup, dns, [name, ...rest]);
  (rest.at(-1) as (...given: unknown[]) => void)(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '169.254.169.254', family: 4 },
  ]);
};
const setLookup = (to: unknown): void => {
  dns.lookup = to as typeof lookup;
  syncBuiltinESMExports();
};
beforeAll(() => setLookup(rebound));
afterAll(() => setLookup(lookup));

let server: Server;
let other: Server;
let at: string;
let elsewhere: string;
const seen: { readonly url: string; readonly method: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];

async function listen(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<[Server, string]> {
  const started = createServer(handler);
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return [started, `http://127.0.0.1:${(started.address() as AddressInfo).port}`];
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { url = '', method = '', headers } = request;
  seen.push({ url, method, headers, body });
  const to = /^\/to\/(\d+)\/(.*)$/.exec(url);
  if (to) return void response.writeHead(Number(to[1]), { location: decodeURIComponent(to[2] ?? '') }).end();
  if (url === '/json') return void response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end('{"a":[1]}');
  if (url === '/large')
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify('x'.repeat(100_000)));
  if (url === '/endless') return void setInterval(() => response.write('x'.repeat(10_000)), 1).unref();
  if (url === '/silent') return;
  if (url.startsWith('/echo/')) {
    const said = JSON.stringify({ url, body, key: headers['x-key'] });
    return void response.writeHead(Number(url.slice(6, 9)), { 'content-type': 'application/json', 'x-said': url }).end(said);
  }
  if (url === '/forger') return void response.end('${secret:db#password}');
  if (url === '/broken') return void request.socket.destroy();
  if (url.startsWith('/status/')) return void response.writeHead(Number(url.slice(8))).end(`sorry,\n ${'no '.repeat(200)}`);
  response.end('plain');
}

beforeAll(async () => {
  [server, at] = await listen((request, response) => void answer(request, response));
  [other, elsewhere] = await listen((request, response) => void answer(request, response));
});

afterAll(() => {
  for (const one of [server, other]) {
    one.closeAllConnections();
    one.close();
  }
});

const never = new AbortController().signal;
const call = (request: HttpRequest, hosts: readonly string[] = []) => requestHttp(request, hosts.length ? { hosts } : openPolicy, never);
const last = () => seen.at(-1);

describe('what is sent', () => {
  it('is a GET without and a POST with a body, JSON unless it is text, and carries the idempotency key', async () => {
    await call({ url: `${at}/a`, idempotencyKey: 'u1/load' });
    expect(last()).toMatchObject({ method: 'GET', headers: { 'idempotency-key': 'u1/load' }, body: '' });
    await call({ url: `${at}/a`, body: { n: 1 }, headers: { 'X-Own': 'yes' } });
    expect(last()).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json', 'x-own': 'yes' }, body: '{"n":1}' });
    await call({ url: `${at}/a`, method: 'put', body: 'text', headers: { 'idempotency-key': 'mine' }, idempotencyKey: 'u1/load' });
    expect(last()).toMatchObject({ method: 'PUT', headers: { 'idempotency-key': 'mine' }, body: 'text' });
  });
});

describe('what is answered', () => {
  it('is parsed when it is JSON', async () => {
    expect(await call({ url: `${at}/json` })).toMatchObject({ status: 200, body: { a: [1] } });
    expect((await call({ url: `${at}/` })).body).toBe('plain');
  });

  it.each(['/large', '/endless'])('is cut to what a run can hand on, and that is said: %s', async (path) => {
    const { body, truncated } = await call({ url: at + path });
    expect(truncated).toBe(true);
    expect(String(body).length).toBeGreaterThan(20 * 1024);
    expect(JSON.stringify(body).length).toBeLessThanOrEqual(24 * 1024);
  });

  it('fails as HttpStatus with the first words when it is not expected', async () => {
    const failing = call({ url: `${at}/status/503` });
    await expect(failing).rejects.toMatchObject({ type: 'HttpStatus', nonRetryable: false });
    await expect(failing).rejects.toThrow(/answered 503: sorry, no no/);
    await failing.catch(({ message }: Error) => expect(message.length).toBeLessThan(260));
  });

  it.each([
    { expect: 404, status: 404 },
    { expect: '418', status: 418 },
    { expect: [404, 409], status: 409 },
  ])('is good when it is expected: $expect', async ({ expect: wanted, status }) => {
    expect(await call({ url: `${at}/status/${status}`, expect: wanted })).toMatchObject({ status });
    await expect(call({ url: `${at}/`, expect: wanted })).rejects.toMatchObject({ type: 'HttpStatus' });
  });
});

describe('when nobody answers', () => {
  it.each([
    ['nobody listens', () => 'http://127.0.0.1:1/'],
    ['the connection breaks', () => `${at}/broken`],
    ['nothing comes in time', () => `${at}/silent`],
    ['the name is not known', () => 'http://no-such-host.invalid/'],
  ])('%s: Unreachable, to be tried again', async (_, url) => {
    await expect(call({ url: url(), timeoutMs: 300 })).rejects.toMatchObject({ type: 'Unreachable', nonRetryable: false });
  });

  it('what is no address is Invalid', async () => {
    await expect(call({ url: 'nowhere' })).rejects.toMatchObject({ type: 'Invalid', nonRetryable: true });
    await expect(call({ url: `${at}/`, headers: { 'X-Bad': 'a\r\nb' } })).rejects.toMatchObject({ type: 'Invalid' });
  });

  it('ends at once when it is no longer wanted', async () => {
    const unwanted = new AbortController();
    const calling = requestHttp({ url: `${at}/silent` }, openPolicy, unwanted.signal);
    unwanted.abort();
    await expect(calling).rejects.toMatchObject({ name: 'CancelledFailure' });
  });
});

describe('redirects', () => {
  it('are followed, five times at most', async () => {
    expect((await call({ url: `${at}/to/302/%2Fjson` })).body).toEqual({ a: [1] });
    const twice = encodeURIComponent(`/to/307/${encodeURIComponent('/json')}`);
    expect((await call({ url: `${at}/to/307/${twice}` })).body).toEqual({ a: [1] });
    const before = seen.length;
    const looping = listen((_, response) => response.writeHead(302, { location: '/again' }).end());
    const [loop, round] = await looping;
    await expect(call({ url: round })).rejects.toMatchObject({ type: 'Unreachable' });
    loop.close();
    expect(seen.length).toBe(before);
  });

  it('keep method and body only where they must', async () => {
    await call({ url: `${at}/to/307/%2Fa`, body: 'x' });
    expect(last()).toMatchObject({ method: 'POST', body: 'x' });
    await call({ url: `${at}/to/303/%2Fa`, body: 'x' });
    expect(last()).toMatchObject({ method: 'GET', body: '' });
  });

  it('tell another server nothing that was meant for the first one', async () => {
    const to = encodeURIComponent(`${elsewhere}/a`);
    await call({ url: `${at}/to/302/${to}`, headers: { Authorization: 'Bearer x', 'X-Api-Key': 'y', Accept: 'text/plain' } });
    expect(last()?.headers).toMatchObject({ accept: 'text/plain' });
    expect(last()?.headers).not.toHaveProperty('authorization');
    expect(last()?.headers).not.toHaveProperty('x-api-key');
  });

  it.each(['http://169.254.169.254/latest', 'file:///etc/passwd', 'http://[fd00:ec2::254]/'])('to %s are Forbidden', async (to) => {
    await expect(call({ url: `${at}/to/302/${encodeURIComponent(to)}` })).rejects.toMatchObject({ type: 'Forbidden', nonRetryable: true });
  });

  it('out of the allowed hosts are Forbidden', async () => {
    const [host = ''] = [new URL(at).host];
    expect(await call({ url: `${at}/json` }, [host])).toMatchObject({ status: 200 });
    await expect(call({ url: `${at}/to/302/${encodeURIComponent(elsewhere)}` }, [host])).rejects.toMatchObject({ type: 'Forbidden' });
  });
});

it('a name that stands for a closed address is Forbidden, also when it stands for others too', async () => {
  const url = at.replace('127.0.0.1', 'rebound.example');
  const before = seen.length;
  await expect(call({ url })).rejects.toMatchObject({ type: 'Forbidden', nonRetryable: true });
  expect(seen.length).toBe(before);
});

describe('secrets', () => {
  const VALUE = 'can"ary 1/2&3';
  const REFERENCE = '${secret:db#password}';
  const values = new Map([
    ['password', VALUE],
    ['port', '1'],
    ['hook', 'http://127.0.0.1:1/services/canary'],
  ]);
  const revealer = new Revealer({ get: async (_resource, key) => values.get(key) });
  const open = async (request: HttpRequest) => requestHttp(request, openPolicy, never, await opened(request, revealer));

  it('are put into address, headers and body, and taken out of the answer', async () => {
    const request = {
      url: `${at}/echo/200?q=${REFERENCE}`,
      headers: { 'X-Key': `Bearer ${REFERENCE}` },
      body: { deep: [REFERENCE], plain: 1 },
    };
    const answer = await open(request);
    expect(last()).toMatchObject({ headers: { 'x-key': `Bearer ${VALUE}` }, body: JSON.stringify({ deep: [VALUE], plain: 1 }) });
    expect(decodeURIComponent(last()?.url ?? '')).toBe(`/echo/200?q=${VALUE}`);
    expect(answer.body).toEqual({
      url: `/echo/200?q=${REFERENCE}`,
      body: JSON.stringify({ deep: [REFERENCE], plain: 1 }),
      key: `Bearer ${REFERENCE}`,
    });
    expect(answer.headers['x-said']).toBe(`/echo/200?q=${REFERENCE}`);
    expect(JSON.stringify(answer)).not.toContain('ary 1');
  });

  it.each([
    ['an answer that was not expected', () => ({ url: `${at}/echo/500?q=${REFERENCE}`, body: REFERENCE })],
    ['nobody there', () => ({ url: '${secret:db#hook}' })],
    ['no address', () => ({ url: `nowhere/${REFERENCE}` })],
    ['a header that cannot be sent', () => ({ url: at, headers: { 'X-Bad': `${REFERENCE}\n` } })],
    ['a place where nobody may go', () => ({ url: `http://169.254.169.254/${REFERENCE}` })],
  ])('are in no failure: %s', async (_name, request) => {
    const error = await open(request()).catch((caught: Error) => caught);
    expect(error).toBeInstanceOf(Error);
    const told = `${(error as Error).message} ${(error as Error).stack} ${JSON.stringify(error)} ${(error as Error).cause}`;
    expect(told).not.toMatch(/ary 1|ary%201|canary|127\.0\.0\.1:1\b/);
  });

  it('one that is missing is said by its name', async () => {
    await expect(open({ url: at, body: '${secret:db#token}' })).rejects.toMatchObject({
      type: 'SecretMissing',
      message: expect.stringContaining('token of db'),
    });
  });

  it('in a body go to no other server than the one that was meant', async () => {
    const to = encodeURIComponent(`${elsewhere}/a`);
    const before = seen.length;
    await expect(open({ url: `${at}/to/307/${to}`, body: { password: REFERENCE } })).rejects.toMatchObject({ type: 'Forbidden' });
    expect(seen.slice(before)).toHaveLength(1);
  });

  it('an answer cannot name one, to be told it by the next step', async () => {
    expect((await open({ url: `${at}/forger` })).body).toBe('$ {secret:db#password}');
  });
});
