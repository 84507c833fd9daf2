import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Client, Connection, isGrpcDeadlineError } from '@temporalio/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asQuery, ONE_QUERY_MS } from './ask.ts';

let server: Http2Server;
let client: Client;

/** Takes every call and answers none, as a Temporal server does with a query that was lost. */
beforeEach(async () => {
  server = createServer();
  server.on('stream', () => {});
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  client = new Client({ connection: Connection.lazy({ address: `127.0.0.1:${port}` }) });
});

afterEach(async () => {
  await client.connection.close();
  server.close();
});

it('gives up on an answer that never comes', async () => {
  const began = Date.now();
  const failure = await asQuery(client, () => client.schedule.getHandle('lost').describe()).catch((error: unknown) => error);
  expect(isGrpcDeadlineError(failure) || isGrpcDeadlineError((failure as Error).cause)).toBe(true);
  expect(Date.now() - began).toBeGreaterThanOrEqual(ONE_QUERY_MS - 50);
});
