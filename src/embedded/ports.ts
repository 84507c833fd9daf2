import { createServer } from 'node:net';

/** True if a server of ours could listen there now. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** The first free one of those wished for; else any free one. */
export async function choosePort(wishes: readonly number[]): Promise<number> {
  for (const port of wishes) if (await isPortFree(port)) return port;
  return freePort();
}

const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 100;

/**
 * Any port that is free now, below those that the system gives to connections: a client that tries again and again to reach a
 * server that is away could else be given the server's own port, and keep it.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isPortFree(port, host)) return port;
  }
  throw new Error('no port is free');
}
