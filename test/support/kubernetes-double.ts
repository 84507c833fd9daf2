import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';

/**
 * A double of a Kubernetes cluster: no API server, no controllers, no kubelets, only the few endpoints that runtime kubernetes
 * uses, behaving as the real ones do where that matters here (ownership, preconditions, watch versions, foreground deletion).
 * That it behaves like the real ones is shown by `npm run test:kubernetes`, which runs the same runtime against real parts.
 */
export class KubernetesDouble {
  readonly deployments = new Map<string, V1Deployment>();
  readonly pods = new Map<string, V1Pod>();
  /** Everything that was asked for, such as `PATCH /apis/…`. */
  readonly calls: string[] = [];
  /** Set: every call is answered with this. */
  failure: { readonly code: number; readonly message: string } | undefined;
  /** Set: nothing is answered any more. */
  isFrozen = false;
  /** Set: what is written with this verb is done, but nobody hears of it. */
  losesAnswersTo: 'PATCH' | 'DELETE' | undefined;
  /** Whether a kubelet starts pods as soon as they are there. */
  startsPods = true;
  /** How long pods take to end. */
  endsAfterMs = 0;
  readonly namespaces = new Set(['default', 'ml']);
  private version = 1;
  private oldest = 0;
  private readonly watchers = new Set<{ readonly response: ServerResponse; readonly selector: string }>();
  private readonly sessions = new Set<Duplex>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.on('upgrade', (request, socket) => this.exec(request, socket));
  }

  static async start(): Promise<KubernetesDouble> {
    const double = new KubernetesDouble();
    await new Promise<void>((resolve) => double.server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  async end(): Promise<void> {
    this.server.closeAllConnections();
    for (const socket of this.sessions) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** A kubeconfig that leads here. */
  get kubeconfig(): string {
    const server = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'double',
      contexts: [{ name: 'double', context: { cluster: 'double', user: 'double', namespace: 'default' } }],
      clusters: [{ name: 'double', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'double', user: { token: 'secret' } }],
    });
  }

  /** As a kubelet would write it. */
  setStatus(name: string, status: V1Pod['status']): void {
    const [key, pod] = [...this.pods].find(([, { metadata }]) => metadata?.name === name) ?? [];
    if (key !== undefined && pod) this.put(key, { ...pod, status: { phase: 'Running', ...status } }, 'MODIFIED');
  }

  /** Ends all watches, and forgets what happened before, as a cluster does now and then. */
  forget(): void {
    this.oldest = Number(this.next());
    for (const { response } of this.watchers) response.end();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://double');
    this.calls.push(`${request.method} ${url.pathname}`);
    if (this.isFrozen) return;
    const say = (code: number, body: unknown): void => {
      if (request.method === this.losesAnswersTo) {
        request.socket.destroy();
        return;
      }
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const refuse = (code: number, message: string): void => say(code, { kind: 'Status', status: 'Failure', code, message });
    if (this.failure) return refuse(this.failure.code, this.failure.message);
    if (request.headers.authorization !== 'Bearer secret') return refuse(401, 'Unauthorized');
    const selector = url.searchParams.get('labelSelector') ?? '';
    if (url.pathname === '/api/v1/pods') {
      if (url.searchParams.get('watch') === 'true') return this.watch(response, url.searchParams, selector);
      return say(200, { kind: 'PodList', apiVersion: 'v1', metadata: this.listVersion(), items: picked(this.pods, selector) });
    }
    if (url.pathname === '/apis/apps/v1/deployments') {
      return say(200, { kind: 'DeploymentList', metadata: this.listVersion(), items: picked(this.deployments, selector) });
    }
    if (url.pathname === '/apis/metrics.k8s.io/v1beta1/pods') {
      const items = picked(this.pods, selector).map(({ metadata }) => ({
        metadata,
        containers: [{ name: 'main', usage: { cpu: '250m', memory: '64Mi' } }],
      }));
      return say(200, { items });
    }
    if (/^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/log$/.test(url.pathname)) {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end(`hello from ${url.pathname.split('/')[6]}, tail ${url.searchParams.get('tailLines')}\n`);
      return;
    }
    const [, namespace = '', name = ''] = /^\/apis\/apps\/v1\/namespaces\/([^/]+)\/deployments\/([^/]+)$/.exec(url.pathname) ?? [];
    if (!name) return refuse(404, 'the server could not find the requested resource');
    const key = `${namespace}/${name}`;
    const found = this.deployments.get(key);
    if (request.method === 'GET') return found ? say(200, found) : refuse(404, `deployments.apps "${name}" not found`);
    const body = JSON.parse((await textOf(request)) || '{}') as V1Deployment & { preconditions?: { uid?: string } };
    if (request.method === 'DELETE') {
      if (!found) return refuse(404, `deployments.apps "${name}" not found`);
      if (body.preconditions?.uid !== found.metadata?.uid) return refuse(409, 'the UID in the precondition does not match');
      this.remove(key, found);
      return say(200, found);
    }
    if (request.headers['content-type'] !== 'application/apply-patch+yaml') return refuse(415, 'this double knows server-side apply only');
    if (!this.namespaces.has(namespace)) return refuse(404, `namespaces "${namespace}" not found`);
    if (body.metadata?.uid !== undefined && body.metadata.uid !== found?.metadata?.uid) return refuse(409, 'uid mismatch');
    if (found && url.searchParams.get('force') !== 'true') return refuse(409, 'conflict with another manager');
    say(found ? 200 : 201, this.apply(key, body, found));
  }

  private apply(key: string, body: V1Deployment, found: V1Deployment | undefined): V1Deployment {
    const metadata = { ...found?.metadata, ...body.metadata, uid: found?.metadata?.uid ?? randomUUID(), resourceVersion: this.next() };
    const deployment: V1Deployment = { ...body, metadata, status: { observedGeneration: 1 } };
    this.deployments.set(key, deployment);
    this.control(key, deployment);
    return deployment;
  }

  /** What the controllers do, at once: pods of another template go, as many as wished come. */
  private control(key: string, { metadata, spec }: V1Deployment): void {
    const hash = createHash('sha256').update(JSON.stringify(spec?.template)).digest('hex').slice(0, 8);
    const mine = [...this.pods].filter(([, pod]) => pod.metadata?.ownerReferences?.[0]?.uid === metadata?.uid);
    const isOld = (pod: V1Pod): boolean => pod.metadata?.labels?.['pod-template-hash'] !== hash;
    const fresh = mine.filter(([, pod]) => !isOld(pod));
    for (const [name, pod] of [...mine.filter(([, one]) => isOld(one)), ...fresh.slice(spec?.replicas ?? 0)]) this.drop(name, pod);
    for (let count = fresh.length; count < (spec?.replicas ?? 0); count += 1) {
      const name = `${metadata?.name}-${hash}-${randomUUID().slice(0, 5)}`;
      const pod = {
        metadata: {
          ...spec?.template.metadata,
          name,
          namespace: metadata?.namespace,
          uid: randomUUID(),
          creationTimestamp: new Date().toISOString() as unknown as Date,
          labels: { ...spec?.template.metadata?.labels, 'pod-template-hash': hash },
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: hash, uid: metadata?.uid ?? '' }],
        },
        spec: spec?.template.spec,
        status: { phase: 'Pending' },
      } as V1Pod;
      this.put(`${key}/${name}`, pod, 'ADDED');
      if (this.startsPods) this.setStatus(name, runningStatus());
    }
  }

  /** In the foreground: it is there until its pods are gone. */
  private remove(key: string, found: V1Deployment): void {
    this.deployments.set(key, { ...found, metadata: { ...found.metadata, deletionTimestamp: new Date() } });
    for (const [name, pod] of this.pods) if (pod.metadata?.ownerReferences?.[0]?.uid === found.metadata?.uid) this.drop(name, pod);
    setTimeout(() => this.deployments.delete(key), this.endsAfterMs);
  }

  private drop(key: string, pod: V1Pod): void {
    this.put(key, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: new Date() } }, 'MODIFIED');
    setTimeout(() => {
      this.pods.delete(key);
      this.tell('DELETED', pod);
    }, this.endsAfterMs);
  }

  private put(key: string, pod: V1Pod, type: string): void {
    const next = { ...pod, metadata: { ...pod.metadata, resourceVersion: this.next() } };
    this.pods.set(key, next);
    this.tell(type, next);
  }

  private tell(type: string, object: V1Pod): void {
    for (const { response, selector } of this.watchers)
      if (isPicked(object, selector)) response.write(`${JSON.stringify({ type, object })}\n`);
  }

  private watch(response: ServerResponse, query: URLSearchParams, selector: string): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (Number(query.get('resourceVersion')) < this.oldest) {
      response.end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, message: 'too old resource version' } })}\n`);
      return;
    }
    const watcher = { response, selector };
    this.watchers.add(watcher);
    response.once('close', () => this.watchers.delete(watcher));
  }

  /** The remote command protocol: an echo of the input, then an exit code. */
  private exec(request: IncomingMessage, socket: Duplex): void {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`];
    socket.write(`${[...head, 'Sec-WebSocket-Protocol: v5.channel.k8s.io'].join('\r\n')}\r\n\r\n`);
    const send = (channel: number, text: string): void => {
      const payload = Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
      socket.write(Buffer.concat([Buffer.from([0x82, ...lengthOf(payload)]), payload]));
    };
    const finish = (code: number): void => {
      const causes = [{ reason: 'ExitCode', message: String(code) }];
      send(3, JSON.stringify(code === 0 ? { status: 'Success' } : { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } }));
    };
    const query = new URL(request.url ?? '/', 'http://double').searchParams;
    const command = query.getAll('command');
    send(1, `ran ${command.join(' ')}\n`);
    if (query.get('stderr') === 'true') send(2, 'and complained\n');
    if (query.get('stdin') !== 'true') finish(Number(command.at(-1)) || 0);
    this.sessions.add(socket);
    socket.on('data', (data: Buffer) => {
      if (((data[0] ?? 0) & CLOSE) === CLOSE) return socket.end();
      for (const frame of framesIn(data)) {
        if (frame[0] === 0) send(1, frame.subarray(1).toString('utf8'));
        if (frame[0] === 4) send(1, `size ${frame.subarray(1)}`);
        if (frame[0] === 255) finish(0);
      }
    });
    socket.on('error', () => {});
  }

  private next(): string {
    this.version += 1;
    return String(this.version);
  }

  private readonly listVersion = () => ({ resourceVersion: String(this.version) });
}

export function runningStatus(): NonNullable<V1Pod['status']> {
  const now = new Date().toISOString() as unknown as Date;
  return {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: now }],
    containerStatuses: [{ name: 'main', image: '', imageID: '', ready: true, restartCount: 0, state: { running: { startedAt: now } } }],
  };
}

const picked = <T extends V1Pod | V1Deployment>(all: ReadonlyMap<string, T>, selector: string): T[] =>
  [...all.values()].filter((one) => isPicked(one, selector));

function isPicked({ metadata }: V1Pod | V1Deployment, selector: string): boolean {
  return selector.split(',').every((term) => {
    const [key = '', value] = term.split('=');
    return metadata?.labels?.[key] === value;
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** The kind of a frame that ends a connection. */
const CLOSE = 8;

const lengthOf = ({ length }: Buffer): number[] => (length < 126 ? [length] : [126, length >> 8, length & 255]);

/** Short, masked frames, as a client sends them. */
function* framesIn(data: Buffer): Generator<Buffer> {
  let at = 0;
  while (at + 6 <= data.length) {
    const length = (data[at + 1] ?? 0) & 127;
    const mask = data.subarray(at + 2, at + 6);
    const payload = Buffer.from(data.subarray(at + 6, at + 6 + length)).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    at += 6 + length;
    yield Buffer.from(payload);
  }
}
