import { describe, expect, it } from 'vitest';
import type { HistoryEntry, RequestStateName } from '../../definitions/request-state/schema.ts';
import { nextMove } from './next-move.ts';

const NOW = Date.parse('2030-01-01T00:01:00Z');
const jobs = ['JOB1', 'JOB2'];
const asked = (job: string, seconds: number): HistoryEntry => ({
  job,
  state: 'REQUESTED',
  timestamp: new Date(NOW - seconds * 1000).toISOString(),
  actor: 'd',
  attempt: 1,
});
const flow = (job: string, state: RequestStateName, { attempt = 1, history = [asked(job, 10)] } = {}) => ({
  spec: { 'request-uid': 'u', job, state },
  status: { job, state, attempt, history, historyCut: 0 },
  jobs,
});
const rules = { now: NOW, timeoutMs: 30_000, attempts: 3 };

describe('nextMove', () => {
  it.each([
    ['goes on with the next job', flow('JOB1', 'COMPLETED'), { type: 'move', job: 'JOB2', state: 'REQUESTED' }],
    ['ends with the last job', flow('JOB2', 'COMPLETED'), { type: 'done', outcome: 'COMPLETED' }],
    ['leaves a job that is not of its list alone', flow('JOB9', 'COMPLETED'), { type: 'done', outcome: 'COMPLETED' }],
    ['waits for a worker to take it', flow('JOB1', 'REQUESTED'), { type: 'wait', until: NOW + 20_000 }],
    ['waits for the worker that has it', flow('JOB1', 'STARTED'), { type: 'wait', until: NOW + 20_000 }],
    [
      'times out what takes too long',
      flow('JOB1', 'STARTED', { history: [asked('JOB1', 30)] }),
      { type: 'move', job: 'JOB1', state: 'TIMED_OUT' },
    ],
    [
      'measures from the newest request, not the first',
      flow('JOB1', 'STARTED', { history: [asked('JOB1', 500), asked('JOB1', 5)] }),
      { type: 'wait', until: NOW + 25_000 },
    ],
    ['asks again after a failure', flow('JOB1', 'FAILED'), { type: 'move', job: 'JOB1', state: 'REQUESTED' }],
    ['asks again after a time-out', flow('JOB1', 'TIMED_OUT', { attempt: 2 }), { type: 'move', job: 'JOB1', state: 'REQUESTED' }],
    ['gives up when the attempts are used up', flow('JOB1', 'FAILED', { attempt: 3 }), { type: 'done', outcome: 'FAILED' }],
    ['accepts that somebody cancelled it', flow('JOB1', 'CANCELLED'), { type: 'done', outcome: 'CANCELLED' }],
  ])('%s', (_, input, expected) => expect(nextMove(input, rules)).toEqual(expected));

  it('waits for ever without a time-out', () => {
    expect(nextMove(flow('JOB1', 'STARTED'), { now: NOW, attempts: 3 })).toEqual({ type: 'wait' });
  });
});
