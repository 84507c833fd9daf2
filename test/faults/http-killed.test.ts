import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { leaseNamespace, temporalAddress } from '../support/temporal.ts';
import { Supervised, workerEnv } from './processes.ts';

/** Those who were called, by the key that tells a second call from a first. */
const keys: string[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer(({ headers }, response) => {
    keys.push(String(headers['idempotency-key']));
    response.writeHead(201).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

it.each([
  { strike: 'before', calls: 1 },
  { strike: 'after', calls: 2 },
])(
  'a call of a run is made anew within seconds when its worker dies $strike it, and the run does not fail for it',
  async ({ strike, calls }) => {
    keys.length = 0;
    const [address, temporalNamespace] = [temporalAddress(), leaseNamespace()];
    const worker = new Supervised('dist/worker.mjs', workerEnv(temporalNamespace));
    await worker.start({ COLONY_FAILPOINT: `httpRequest:${strike}:1` });
    const colony = await connect({ address, temporalNamespace });
    try {
      const { uid } = await colony.apply({
        apiVersion: 'automation.colonies.io/v1',
        kind: 'WorkflowRun',
        metadata: { name: 'caller' },
        spec: { steps: [{ name: 'call', http: { method: 'POST', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } }] },
      });
      const runs = colony.resources('automation.colonies.io/v1', 'WorkflowRun');
      // Its own limit is a minute: who waits for that waits longer than this.
      await runs.waitFor('caller', 'Ready', { timeoutMs: 40_000 });
      expect(worker.deaths).toBe(1);
      expect(keys).toEqual(Array(calls).fill(`${uid}/call`));
    } finally {
      await colony.close();
      await worker.stop();
    }
  },
);
