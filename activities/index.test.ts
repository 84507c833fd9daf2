import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { createActivities, defaultRollover, defaultTuning } from './index.ts';

const metadata = { name: 'shop', namespace: 'default', uid: 'uid-shop', generation: 1 };
const wishes = [{ key: 'a', digest: 'd', manifest: { kind: 'Part', metadata: { name: 'a' } } }];
const spec = { group: 'example.com', version: 'v1', scope: 'Namespaced', names: { kind: 'Part', plural: 'parts' } };
const owner = { apiVersion: 'app.colonies.io/v1', kind: 'Application', metadata };
const BEATS = 3;
const enough = new Error('it was heard of often enough');

/** Runs an activity against a server that answers nothing until it has heard of the activity some times, and then fails. */
async function whileSilent(name: string, request: object): Promise<unknown> {
  let beats = 0;
  let hear: (why: Error) => void = () => undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    hear = reject;
  });
  silence.catch(() => undefined);
  const list = async function* () {
    yield await silence;
  };
  const client = { workflow: { list, count: () => silence } } as unknown as Client;
  const activities = createActivities({ client, tuning: defaultTuning, rollover: defaultRollover });
  const activity = activities[name as keyof typeof activities] as (request: object) => Promise<unknown>;
  const onBeat = (): void => {
    beats += 1;
    if (beats === BEATS) hear(enough);
  };
  const info = { workflowExecution: { workflowId: 'applications.app.colonies.io/default/shop', runId: 'r' } } as Info;
  const context = new Context(info, silence, new AbortController().signal, onBeat, undefined, console as never, {} as MetricMeter, {});
  return asyncLocalStorage.run(context, () => activity(request));
}

describe('an activity that may be repeated', () => {
  it.concurrent.each([
    ['applyChildren', { ...owner, wishes, inventory: [] }],
    ['awaitChildren', { ...owner, wishes }],
    ['removeChildren', { ...owner, waves: [], released: [], inventory: [], all: true, inBackground: false }],
    ['refreshInstances', { metadata, spec }],
    ['awaitNoInstances', { spec }],
  ])('is heard of all the time, also while nobody answers it: %s', async (name, request) => {
    await expect(whileSilent(name, request)).rejects.toBe(enough);
  });
});
