import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { InstancePort } from '../../../definitions/core/instance.ts';
import type { Port } from '../../../definitions/core/template.ts';
import { Problem } from '../runtime.ts';

const ADDRESS = '127.0.0.1';
/** Below those that the system gives to connections: a client that keeps trying could else be given the server's own port. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 100;

/** Given away and perhaps not listened on yet: the next one who asks gets another. */
const recent = new Set<number>();
const RECENT_KEPT = 1_000;

/**
 * Where an instance shall listen on this machine. A fixed port goes to slot 0, everybody else gets free ones; those it had
 * before are kept when nobody took them meanwhile. Throws Problem when a fixed one is taken.
 */
export async function choosePorts(ports: readonly Port[], slot: number, before: readonly InstancePort[]): Promise<readonly InstancePort[]> {
  const chosen: InstancePort[] = [];
  for (const [index, { name, container, host, protocol }] of ports.entries()) {
    const given = await choose(protocol, slot === 0 ? host : undefined, before[index]?.host);
    chosen.push({ ...(name !== undefined && { name }), container, host: given, address: ADDRESS, protocol });
  }
  return chosen;
}

async function choose(protocol: Port['protocol'], fixed: number | undefined, before: number | undefined): Promise<number> {
  if (fixed !== undefined) {
    if (await isFree(fixed, protocol)) return fixed;
    throw new Problem('PortTaken', `Port ${fixed} is taken on this node; free it or choose another in spec.ports.`);
  }
  if (before !== undefined && (await isFree(before, protocol))) return before;
  for (let tries = 0; tries < TRIES; tries++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (recent.has(port)) continue;
    remember(port);
    if (await isFree(port, protocol)) return port;
  }
  throw new Problem('PortTaken', 'No port is free on this node.');
}

function remember(port: number): void {
  recent.add(port);
  const [oldest] = recent;
  if (recent.size > RECENT_KEPT && oldest !== undefined) recent.delete(oldest);
}

function isFree(port: number, protocol: Port['protocol']): Promise<boolean> {
  return new Promise((resolve) => {
    if (protocol === 'udp') {
      const socket = createSocket('udp4');
      socket.once('error', () => socket.close(() => resolve(false)));
      socket.bind({ port, address: ADDRESS, exclusive: true }, () => socket.close(() => resolve(true)));
      return;
    }
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: ADDRESS, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
