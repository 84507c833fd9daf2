import { expect, it } from 'vitest';
import type { RequestStateName } from '../../definitions/request-state/schema.ts';
import { type Batch, flowMetadata, flowName, type Request, unfinished } from './batch.ts';

const batch: Batch = { id: 'b', size: 2, jobs: ['JOB1', 'JOB2'], attempts: 2 };

function request(index: number, job: string, state: RequestStateName, attempt = 1): Request {
  const metadata = flowMetadata(batch, index, 'd', 'default');
  return {
    apiVersion: '',
    kind: 'RequestState',
    metadata: {
      ...metadata,
      uid: '',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '',
      ownerReferences: [],
      finalizers: [],
    } as never,
    spec: { 'request-uid': metadata.name, job, state },
    status: { job, state, attempt, history: [], historyCut: 0 } as never,
  };
}

it('gives every flow a name of its own, and the same one every time', () => {
  const names = Array.from({ length: 100 }, (_, index) => flowName(batch, index));
  expect(new Set(names).size).toBe(100);
  expect(flowName(batch, 7)).toBe(names[7]);
  expect(names[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

it.each([
  ['all flows at their end', [request(0, 'JOB2', 'COMPLETED'), request(1, 'JOB1', 'FAILED', 2)], []],
  ['a flow under way', [request(0, 'JOB2', 'COMPLETED'), request(1, 'JOB1', 'COMPLETED')], [batch]],
  ['a flow that may be tried again', [request(0, 'JOB2', 'COMPLETED'), request(1, 'JOB2', 'FAILED', 1)], [batch]],
  ['a flow that was never created', [request(0, 'JOB2', 'COMPLETED')], [batch]],
  ['nothing', [], []],
])('finds what is unfinished: %s', (_, requests, expected) => expect(unfinished(requests, 0)).toEqual(expected));
