import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Fault } from './faults.ts';

/** One request as it came by. */
export interface Call {
  /** As Date.now() tells it. */
  readonly at: number;
  readonly method: string;
  /** Without the version, with the query. */
  readonly path: string;
  /** What was done to it; undefined when it was passed on as it was. */
  readonly fault: Fault['kind'] | undefined;
  /** What the engine answered; undefined as long as it did not. */
  engineStatus?: number;
  /** Until the engine had answered, in milliseconds. */
  engineMs?: number;
}

/** Which requests are meant. */
export interface Pattern {
  readonly method?: string;
  /** Of the path without the version, with the query. */
  readonly path: RegExp;
}

export interface Injection extends Pattern {
  /** Leaves out as many that match. */
  readonly after?: number;
  /** Strikes so often; once unless told, `Infinity` for as long as it is there. */
  readonly times?: number;
}

/** A fault that waits for its requests. */
export interface Injected {
  /** How often it has struck. */
  readonly strikes: number;
  remove(): void;
}

interface Armed extends Required<Injection> {
  readonly fault: Fault;
  seen: number;
  strikes: number;
}

const REMEMBERED = 64;
const LIST = /^\/containers\/json/;
const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);
/** Posted, but only to look or to wait. */
const HARMLESS = /^\/(exec\/|containers\/[^/]+\/(exec|wait|attach|resize|logs)\b|auth\b|build\/cancel)/;

/** Whether a call changes anything in the engine. */
export function isMutating({ method, path }: Pick<Call, 'method' | 'path'>): boolean {
  return method !== 'GET' && method !== 'HEAD' && !HARMLESS.test(path);
}

/**
 * Stands before an engine, on a socket of its own, and does to requests and answers what networks and engines do on bad days.
 *
 * Guarantees: without a fault, whatever is sent arrives as it is, streams and upgraded connections included, and a client that
 * goes away is gone for the engine too.
 */
export class SocketProxy {
  /** Every request since the start, oldest first. */
  readonly calls: Call[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'colony-proxy-'));
  readonly socket = join(this.#folder, 'docker.sock');
  readonly #armed: Armed[] = [];
  readonly #lists = new Map<string, Buffer[]>();
  readonly #sockets = new Set<Duplex>();
  readonly #arrivals = new Set<(call: Call) => void>();
  #server: Server | undefined;

  private constructor(private readonly engine: string) {}

  static async start(engineSocket: string): Promise<SocketProxy> {
    const proxy = new SocketProxy(engineSocket);
    await proxy.open();
    return proxy;
  }

  /** As DOCKER_HOST wants it. */
  get host(): string {
    return `unix://${this.socket}`;
  }

  /** Open now: from clients, and to the engine. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Does this to the requests that match; the oldest injection that wants one has it. */
  inject(fault: Fault, { method = '', path, after = 0, times = 1 }: Injection): Injected {
    const armed: Armed = { fault, method, path, after, times, seen: 0, strikes: 0 };
    this.#armed.push(armed);
    return {
      get strikes() {
        return armed.strikes;
      },
      remove: () => void this.#armed.splice(this.#armed.indexOf(armed), this.#armed.includes(armed) ? 1 : 0),
    };
  }

  /** No more faults. What stalls goes on stalling until its client goes away. */
  clear(): void {
    this.#armed.length = 0;
  }

  /** Comes back when the next request that matches has arrived; it is not yet answered then. */
  arrival({ method, path }: Pattern, withinMs = 60_000): Promise<Call> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#arrivals.delete(see);
        reject(new Error(`no ${method ?? 'request'} ${path} came within ${withinMs / 1000} s`));
      }, withinMs);
      const see = (call: Call): void => {
        if (!matches({ method: method ?? '', path }, call)) return;
        clearTimeout(timer);
        this.#arrivals.delete(see);
        resolve(call);
      };
      this.#arrivals.add(see);
    });
  }

  /** What would have changed the engine, since then: empty while everything is idle. */
  mutations(since = 0): readonly Call[] {
    return this.calls.filter((call) => call.at >= since && isMutating(call));
  }

  /** The engine cannot be reached: killed and its socket `refused`, or ended in order and its socket `missing`. Cuts what is under way. */
  async close(how: 'refused' | 'missing' = 'refused'): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) {
      const closed = new Promise((done) => server.close(done));
      for (const socket of this.#sockets) socket.destroy();
      await closed;
    }
    if (how === 'missing') rmSync(this.socket, { force: true });
  }

  /** It can be reached again. */
  async open(): Promise<void> {
    if (this.#server) return;
    const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
    server.on('connection', (socket: Socket) => this.#hold(socket));
    server.on('request', (asked, answer) => void this.#serve(asked, answer));
    server.on('upgrade', (asked, client, head) => void this.#upgrade(asked, client, head));
    // A server takes its socket away when it closes; not one that has another name by then.
    const draft = `${this.socket}.new`;
    server.listen(draft);
    await once(server, 'listening');
    renameSync(draft, this.socket);
    this.#server = server;
  }

  async end(): Promise<void> {
    await this.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const client = asked.socket;
    answer.on('error', () => {}); // the client's own business
    const body = await readAll(asked).catch(() => undefined);
    if (!body) return; // went away in the middle of its request
    const [call, fault] = this.#note(asked);
    if (!fault) return this.#pass(call, asked, body, answer);
    switch (fault.kind) {
      case 'loseAnswer':
        await this.#fetch(call, asked, body).catch(() => {});
        return void client.destroy();
      case 'refuse':
        return write(answer, fault.status, JSON.stringify({ message: fault.message }));
      case 'garbage':
        return write(answer, 200, fault.body);
      case 'stall':
        return; // until somebody is tired of it
      case 'delay': {
        await fault.until();
        const late = await this.#fetch(call, asked, body).catch(() => undefined);
        return late ? write(answer, late.status, late.body, late.headers) : void client.destroy();
      }
      case 'stale': {
        const earlier = this.#lists.get(call.path)?.at(-fault.calls) ?? this.#lists.get(call.path)?.[0];
        return earlier ? write(answer, 200, earlier) : this.#pass(call, asked, body, answer);
      }
      case 'partial': {
        const whole = await this.#fetch(call, asked, body).catch(() => undefined);
        return whole ? write(answer, whole.status, thin(whole.body, fault.isKept)) : void client.destroy();
      }
      case 'reset': {
        const whole = await this.#fetch(call, asked, body).catch(() => undefined);
        if (!whole) return void client.destroy();
        answer.writeHead(whole.status, { 'content-type': 'application/json', 'content-length': Math.max(1, whole.body.length) });
        answer.write(whole.body.subarray(0, Math.floor(whole.body.length / 2)), () => client.destroy());
        return;
      }
      case 'drip': {
        const whole = await this.#fetch(call, asked, body).catch(() => undefined);
        if (!whole) return void client.destroy();
        return drip(answer, whole, fault.everyMs);
      }
    }
  }

  /** From now on both sides speak as they like. Answers cannot be tampered with here: what wants that, cuts the connection. */
  async #upgrade(asked: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => {});
    const [, fault] = this.#note(asked);
    if (fault?.kind === 'stall') return;
    if (fault?.kind === 'refuse') {
      const said = JSON.stringify({ message: fault.message });
      const head = [`HTTP/1.1 ${fault.status} Refused`, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(said)}`];
      return void client.end(`${head.join('\r\n')}\r\n\r\n${said}`, () => client.destroy());
    }
    if (fault?.kind === 'delay') await fault.until();
    const engine = connect({ path: this.engine, allowHalfOpen: true });
    this.#hold(engine);
    engine.write(
      `${requestLine(asked)}\r\n${pairs(asked.rawHeaders)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    );
    engine.write(head);
    client.pipe(engine);
    if (fault && fault.kind !== 'delay') engine.once('data', () => client.destroy());
    else engine.pipe(client);
    engine.on('error', () => client.destroy());
    engine.on('close', () => (client.writableFinished ? client.destroy() : client.end(() => client.destroy())));
    client.on('close', () => engine.destroy());
  }

  #note(asked: IncomingMessage): [Call, Fault | undefined] {
    const seen = { method: asked.method ?? 'GET', path: (asked.url ?? '/').replace(/^\/v\d+\.\d+(?=\/)/, '') };
    const fault = this.#strike(seen);
    const call: Call = { at: Date.now(), ...seen, fault: fault?.kind };
    this.calls.push(call);
    for (const see of [...this.#arrivals]) see(call);
    return [call, fault];
  }

  #strike(seen: Pick<Call, 'method' | 'path'>): Fault | undefined {
    for (const armed of this.#armed) {
      if (!matches(armed, seen) || armed.strikes >= armed.times) continue;
      armed.seen += 1;
      if (armed.seen <= armed.after) continue;
      armed.strikes += 1;
      return armed.fault;
    }
    return undefined;
  }

  /** As if the proxy were not there. */
  #pass(call: Call, asked: IncomingMessage, body: Buffer, answer: ServerResponse): void {
    const sent = this.#send(call, asked, body, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.statusMessage, endToEnd(reply));
      answer.flushHeaders(); // of an answer that has nothing to say yet, such as events
      if (LIST.test(call.path) && reply.statusCode === 200) this.#remember(call.path, reply);
      reply.on('error', () => answer.destroy());
      reply.pipe(answer);
    });
    sent.on('error', () => asked.socket.destroy());
    answer.on('close', () => sent.destroy());
  }

  /** The whole answer, whether or not anybody still waits for it. */
  #fetch(call: Call, asked: IncomingMessage, body: Buffer): Promise<Whole> {
    return new Promise((resolve, reject) => {
      const sent = this.#send(call, asked, body, (reply) => {
        if (LIST.test(call.path) && reply.statusCode === 200) this.#remember(call.path, reply);
        readAll(reply).then((whole) => resolve({ status: reply.statusCode ?? 502, headers: endToEnd(reply), body: whole }), reject);
      });
      sent.on('error', reject);
    });
  }

  #send(call: Call, asked: IncomingMessage, body: Buffer, onReply: (reply: IncomingMessage) => void) {
    const began = Date.now();
    const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !HOP.has(name)));
    if (body.length > 0 || asked.headers['transfer-encoding']) headers['content-length'] = String(body.length);
    const sent = request({ socketPath: this.engine, method: call.method, path: asked.url, headers, agent: false }, (reply) => {
      call.engineStatus = reply.statusCode ?? 0;
      call.engineMs = Date.now() - began;
      onReply(reply);
    });
    sent.on('socket', (socket) => this.#hold(socket));
    sent.end(body);
    return sent;
  }

  #remember(path: string, reply: IncomingMessage): void {
    const chunks: Buffer[] = [];
    reply.on('data', (chunk: Buffer) => chunks.push(chunk));
    reply.on('end', () => this.#lists.set(path, [...(this.#lists.get(path) ?? []).slice(1 - REMEMBERED), Buffer.concat(chunks)]));
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}); // told by its close
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

interface Whole {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: Buffer;
}

function matches({ method, path }: Required<Pattern>, seen: Pick<Call, 'method' | 'path'>): boolean {
  return (method === '' || method === seen.method) && seen.path.search(path) >= 0;
}

function write(answer: ServerResponse, status: number, body: string | Buffer, headers: Whole['headers'] = {}): void {
  const { 'content-length': _, ...rest } = headers;
  answer.writeHead(status, { 'content-type': 'application/json', ...rest });
  answer.end(status === 204 || status === 304 ? undefined : body);
}

function drip(answer: ServerResponse, { status, body }: Whole, everyMs: number): void {
  answer.writeHead(status, { 'content-type': 'application/json' });
  let at = 0;
  const timer = setInterval(() => {
    if (at >= body.length) answer.end();
    else answer.write(body.subarray(at, ++at));
  }, everyMs);
  answer.on('close', () => clearInterval(timer));
}

function thin(body: Buffer, isKept: (entry: unknown, index: number) => boolean): string {
  const entries: unknown = JSON.parse(body.toString());
  return JSON.stringify(Array.isArray(entries) ? entries.filter(isKept) : entries);
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function endToEnd(reply: IncomingMessage): Whole['headers'] {
  const kept = Object.entries(reply.headers).filter(([name, value]) => value !== undefined && !HOP.has(name));
  return Object.fromEntries(kept) as Whole['headers'];
}

function requestLine({ method, url }: IncomingMessage): string {
  return `${method} ${url} HTTP/1.1`;
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? '']);
}
