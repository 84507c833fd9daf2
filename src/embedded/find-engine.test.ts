import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { findEngine } from './find-engine.ts';

it('tells the version of the engine that the environment names', async () => {
  const server = createServer((_request, response) => response.end('{"Version":"20.10.24"}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await findEngine({ DOCKER_HOST: host })).toEqual({ host, version: '20.10.24' });
  server.close();
});

it('says that nobody answers', async () => {
  expect(await findEngine({ DOCKER_HOST: 'unix:///nobody/here.sock' })).toEqual({ host: 'unix:///nobody/here.sock', version: undefined });
});
