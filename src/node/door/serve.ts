import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Runtime } from '../../../activities/runtimes/runtime.ts';
import type { RuntimeName } from '../../../definitions/core/template.ts';
import type { Logger } from '../log.ts';
import { EXEC_PROTOCOL } from './api.ts';
import { problemOf, Refusal } from './failures.ts';
import { listInstances } from './list.ts';
import { listenPrivately } from './listen.ts';
import { askRuntimes } from './runtimes.ts';
import { serveExec } from './serve-exec.ts';
import { streamLogs } from './stream-logs.ts';

export interface NodeDoorOptions {
  /** As `placeNodeDoor` names it. */
  readonly path: string;
  /** Read at every request: what is added later is served too. */
  readonly runtimes: ReadonlyMap<RuntimeName, Runtime>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

export interface NodeDoor {
  readonly path: string;
  /** Ends what is still streamed, and takes the socket away. */
  close(): Promise<void>;
}

/**
 * Lets people on this machine look into instances: logs, exec, stats. Whoever can open the socket may do all of it, and only our
 * own user can. Throws DoorTaken while another agent answers at the path; what a dead one left there is replaced.
 */
export async function serveNodeDoor({ path, runtimes, log }: NodeDoorOptions): Promise<NodeDoor> {
  const upgraded = new Set<Duplex>();
  const server = createServer((request, response) => {
    answer(runtimes, request, response).catch((error: unknown) => refuse(response, error));
  });
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    socket.on('error', () => {}); // the caller is gone; 'close' follows
    upgrade(runtimes, request, socket, head).catch((error: unknown) => refuseRaw(socket, error));
  });
  await listenPrivately(server, path);
  server.on('error', (error) => log.warn({ reason: error.message }, 'the node door is in trouble'));
  log.info({ path }, 'the node door is open');
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve()); // takes the socket's file away too
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }),
  };
}

interface Wanted {
  readonly url: URL;
  readonly runtime: Runtime;
  readonly id: string;
  readonly what: 'logs' | 'exec';
}

async function answer(runtimes: NodeDoorOptions['runtimes'], request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = urlOf(request);
  if (request.method === 'GET' && url.pathname === '/v1/instances') {
    return json(response, 200, await listInstances(runtimes, url.searchParams.get('uid') ?? undefined));
  }
  if (request.method === 'GET' && url.pathname === '/v1/runtimes') return json(response, 200, await askRuntimes(runtimes));
  if (request.method === 'GET' && url.pathname === '/v1/stats') {
    const ids = url.searchParams.getAll('ids').flatMap((list) => list.split(',').filter((id) => id !== ''));
    const runtime = runtimeOf(runtimes, url.searchParams.get('runtime') ?? '');
    return json(response, 200, { usage: ids.length === 0 ? [] : await runtime.stats(ids) });
  }
  const wanted = wantedBy(runtimes, url);
  if (wanted.what === 'exec') throw new Refusal(426, 'UpgradeRequired', `an exec needs a POST with "Upgrade: ${EXEC_PROTOCOL}"`);
  if (request.method !== 'GET') throw new Refusal(405, 'MethodNotAllowed', 'logs are read with GET');
  await streamLogs(wanted.runtime, wanted.id, url.searchParams, response);
}

async function upgrade(runtimes: NodeDoorOptions['runtimes'], request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const wanted = wantedBy(runtimes, urlOf(request));
  if (wanted.what !== 'exec' || request.method !== 'POST' || request.headers.upgrade !== EXEC_PROTOCOL)
    throw new Refusal(400, 'BadRequest', `only an exec is upgraded: POST with "Upgrade: ${EXEC_PROTOCOL}"`);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${EXEC_PROTOCOL}\r\n\r\n`);
  await serveExec(wanted.runtime, wanted.id, socket, head);
}

const urlOf = ({ url = '/' }: IncomingMessage): URL => new URL(url, 'http://node');

function wantedBy(runtimes: NodeDoorOptions['runtimes'], url: URL): Wanted {
  const [, runtime, id, what] = /^\/v1\/instances\/([^/]+)\/([^/]+)\/(logs|exec)$/.exec(url.pathname) ?? [];
  if (!runtime || !id || !what) throw new Refusal(404, 'NotFound', `there is nothing at ${url.pathname}`);
  return { url, runtime: runtimeOf(runtimes, decodeURIComponent(runtime)), id: decodeURIComponent(id), what: what as Wanted['what'] };
}

function runtimeOf(runtimes: NodeDoorOptions['runtimes'], name: string): Runtime {
  const runtime = runtimes.get(name as RuntimeName);
  if (!runtime)
    throw new Refusal(
      404,
      'RuntimeUnavailable',
      `this node has no runtime ${JSON.stringify(name)}; it has ${[...runtimes.keys()].join(', ') || 'none'}`,
    );
  return runtime;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, problem } = problemOf(error);
  if (response.headersSent || response.destroyed) response.destroy();
  else json(response, status, problem);
}

function refuseRaw(socket: Duplex, error: unknown): void {
  const { status, problem } = problemOf(error);
  const body = `${JSON.stringify(problem)}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
