import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { serveHealth } from './health.ts';

it('is healthy only while the process is ready', async () => {
  let ready = false;
  const server = serveHealth(0, () => ready);
  await once(server, 'listening');
  const ask = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).status;
  expect(await ask('/healthz')).toBe(503);
  ready = true;
  expect(await ask('/healthz')).toBe(200);
  expect(await ask('/')).toBe(404);
  server.close();
});
