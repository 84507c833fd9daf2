import { describe, expect, it } from 'vitest';
import { PendingReader, pendingWork } from './pending.ts';
import type { Session } from './session.ts';
import type { Target } from './target.ts';

const json = (value: unknown) => ({ data: Buffer.from(JSON.stringify(value)) });
const target = { workflowId: 'apps.example.com/default/web', subject: 'App web' } as Target;

describe('pendingWork', () => {
  it('reads progress, tries and the queue', () => {
    const raw = {
      activityId: '7',
      activityType: { name: 'syncInstances' },
      state: 1,
      attempt: 3,
      lastFailure: { message: 'no engine' },
      heartbeatDetails: { payloads: [json({ doing: 'starting web-7', done: 12, total: 20 })] },
      activityOptions: { taskQueue: { name: 'colony-node-a' } },
    };
    expect(pendingWork(raw, 'start slots 0-19 on a')).toEqual({
      activity: 'syncInstances',
      state: 'waiting',
      attempt: 3,
      summary: 'start slots 0-19 on a',
      queue: 'colony-node-a',
      failure: 'no engine',
      doing: 'starting web-7',
      done: 12,
      total: 20,
    });
  });

  it('leaves out what is not there or not ours', () => {
    const raw = { activityType: { name: 'x' }, state: 2, heartbeatDetails: { payloads: [{ data: Buffer.from('not json') }] } };
    expect(pendingWork(raw, undefined)).toEqual({ activity: 'x', state: 'running', attempt: 1 });
    expect(pendingWork({ ...raw, heartbeatDetails: { payloads: [json(null)] } }, undefined)).toMatchObject({ attempt: 1 });
  });
});

describe('PendingReader', () => {
  it('looks up once what a flight is for', async () => {
    let looks = 0;
    const started = { activityTaskScheduledEventAttributes: { activityId: '1' }, userMetadata: { summary: json('start slot 0 on a') } };
    const session = {
      temporalNamespace: 'default',
      timeoutMs: 1_000,
      within: (_deadline: number, call: () => unknown) => call(),
      service: {
        describeWorkflowExecution: async () => ({
          workflowExecutionInfo: { execution: { runId: 'r' } },
          pendingActivities: [
            { activityId: '10', activityType: { name: 'b' }, state: 2, attempt: 1 },
            { activityId: '1', activityType: { name: 'a' }, state: 2, attempt: 1 },
          ],
        }),
        getWorkflowExecutionHistoryReverse: async () => {
          looks += 1;
          return { history: { events: [{}, started] } };
        },
      },
    } as unknown as Session;
    const reader = new PendingReader(session);
    const found = await reader.read(target);
    expect(found.map(({ activity, summary }) => [activity, summary])).toEqual([
      ['a', 'start slot 0 on a'],
      ['b', undefined],
    ]);
    await reader.read(target);
    expect(looks).toBe(1);
  });
});
