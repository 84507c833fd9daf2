import { expect, it } from 'vitest';
import type { RequestStateName } from '../../definitions/request-state/schema.ts';
import { isClaimable } from './claimable.ts';

const look = (state: RequestStateName, claim?: { worker: string; expired: boolean }) =>
  isClaimable(
    { 'request-uid': 'u', job: 'JOB1', state },
    { job: 'JOB1', state, attempt: 1, history: [], historyCut: 0, ...(claim ? { claim: { ...claim, expiresAt: '' } } : {}) },
    'me',
  );

it.each([
  ['a new job', look('REQUESTED'), true],
  ['a job whose worker was not heard of', look('STARTED', { worker: 'other', expired: true }), true],
  ['a job of its own from before a restart', look('STARTED', { worker: 'me', expired: false }), true],
  ['a job in good hands', look('STARTED', { worker: 'other', expired: false }), false],
  ['a job that somebody started without a claim', look('STARTED'), false],
  ['a job that is over', look('COMPLETED'), false],
])('%s: claimable %#', (_, found, expected) => expect(found).toBe(expected));
