import { describe, expect, it } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { connectClient, leaseNamespace, temporalAddress } from '../support/temporal.ts';
import { eventually, Supervised, workerEnv } from './processes.ts';

const PART = {
  apiVersion: 'colonies.io/v1',
  kind: 'ResourceDefinition',
  metadata: { name: 'parts.example.com' },
  spec: { group: 'example.com', version: 'v1', names: { kind: 'Part', plural: 'parts' }, scope: 'Namespaced', handler: null },
};
const SHOP = {
  apiVersion: 'app.colonies.io/v1',
  kind: 'Application',
  metadata: { name: 'shop' },
  spec: { components: [{ kind: 'Part' }] },
};
const SHOP_ID = 'applications.app.colonies.io/default/shop';
/** Nothing is heard for 5 s, and some time goes by until somebody comes; before, the server waited for 30 s alone. */
const SOON_MS = 25_000;

describe('a worker that dies while it deals with children', () => {
  it.each(['applyChildren', 'removeChildren'])('is missed within seconds, and another goes on: %s', async (activity) => {
    const temporalNamespace = leaseNamespace();
    const address = temporalAddress();
    const env = workerEnv(temporalNamespace);
    const worker = new Supervised('dist/worker.mjs', env);
    await worker.start({ COLONY_FAILPOINT: `${activity}:before:1` });
    const client = await connectClient(temporalNamespace);
    const colony = await connect({ address, temporalNamespace });
    try {
      await colony.apply(PART);
      await colony.apply(SHOP);
      const shops = colony.resources('app.colonies.io/v1', 'Application');
      await shops.waitFor('shop', 'Ready', { timeoutMs: 60_000 });
      await shops.delete('shop', { propagation: 'Foreground' });
      const handle = client.workflow.getHandle(SHOP_ID);
      await eventually('the application is gone', async () => (await handle.describe()).status.name === 'COMPLETED' || undefined);
      expect(worker.deaths).toBe(1);
      const { events = [] } = await handle.fetchHistory();
      const asked = events?.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity);
      const begun = events?.find((event) => event.activityTaskStartedEventAttributes?.scheduledEventId?.equals(asked?.eventId ?? 0));
      expect(begun?.activityTaskStartedEventAttributes).toMatchObject({ attempt: 2 });
      expect(timeOf(begun) - timeOf(asked)).toBeLessThan(SOON_MS);
    } finally {
      await colony.close();
      await client.connection.close();
      await worker.stop();
    }
  });
});

/** By the server's own clock. */
const timeOf = (event: { readonly eventTime?: { readonly seconds?: unknown } | null } | undefined): number =>
  Number(event?.eventTime?.seconds) * 1_000;
