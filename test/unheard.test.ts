import type { Client } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TASK_QUEUE } from '../src/client/session.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker } from './support/temporal.ts';

const OWNER = 'applications.app.colonies.io/default/nobody';
const CHILD = 'workflowruns.automation.colonies.io/default/child';

/** A worker that cannot bring news itself, so that the server has to. */
const mute: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      if (info.activityType === 'tellOwner') throw new Error('not now');
      return next(input);
    },
  },
});

let worker: TestWorker;
let client: Client;

beforeAll(async () => {
  const namespace = leaseNamespace();
  worker = await startWorker(namespace, { worker: { interceptors: { activity: [mute] } } });
  client = await connectClient(namespace);
});

afterAll(async () => {
  await client.connection.close();
  await worker.stop();
});

it('news for an owner that is gone is not brought again: the server says so in the words that the herald knows', async () => {
  const controller = { apiVersion: 'app.colonies.io/v1', kind: 'Application', name: 'nobody', uid: 'gone', controller: true };
  const manifest = {
    apiVersion: 'automation.colonies.io/v1',
    kind: 'WorkflowRun',
    metadata: { name: 'child', ownerReferences: [controller], annotations: { 'colony.io/owner': OWNER } },
    spec: { steps: [{ name: 'wait', suspend: {} }] },
  };
  const handle = await client.workflow.start('WorkflowRun', { workflowId: CHILD, taskQueue: TASK_QUEUE, args: [manifest] });
  const events = async () => (await handle.fetchHistory()).events ?? [];
  const told = async () => {
    const all = await events();
    const failed = all.findIndex((event) => event.signalExternalWorkflowExecutionFailedEventAttributes);
    return failed < 0 ? undefined : all.slice(failed);
  };
  await expect
    .poll(async () => (await told())?.some((event) => event.workflowTaskCompletedEventAttributes), { timeout: 30_000 })
    .toBe(true);
  const names = (await told())
    ?.filter((event) => event.timerStartedEventAttributes)
    .map(({ userMetadata }) => String(userMetadata?.summary?.data));
  expect(names?.filter((name) => name.includes('tell the owner again'))).toEqual([]);
});
