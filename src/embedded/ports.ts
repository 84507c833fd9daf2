import { createServer } from 'node:net';

/** True if a server of ours could listen there now. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** The first free one of those wished for; else any free one of the machine's choice. */
export async function choosePort(wishes: readonly number[]): Promise<number> {
  for (const port of wishes) if (await isPortFree(port)) return port;
  return freePort();
}

/** Any port that is free now. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ port: 0, host }, () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port is free'))));
    });
  });
}
