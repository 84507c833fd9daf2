import { describe, expect, it } from 'vitest';
import type { PendingWork } from '../../client/api.ts';
import { bytesText } from './bytes.ts';
import { inTheAir, pendingText } from './pending.ts';

const work = (more: Partial<PendingWork>): PendingWork => ({ activity: 'syncInstances', state: 'running', attempt: 1, ...more });

describe('pendingText', () => {
  it.each([
    [work({}), 'syncInstances'],
    [work({ queue: 'colony-node-a.b' }), 'syncInstances on node a.b'],
    [work({ summary: 'start slot 0 on a', done: 0, total: 1 }), 'start slot 0 on a: 0 of 1'],
    [work({ summary: 's', doing: 'pulls nginx' }), 's (pulls nginx)'],
    [work({ summary: 's', state: 'cancelling' }), 's, being cancelled'],
    [work({ summary: 's', state: 'waiting' }), 's, waits for somebody to take it'],
    [work({ summary: 's', state: 'waiting', queue: 'makers' }), 's, waits for somebody on makers to take it'],
    [work({ summary: 's on node b', state: 'waiting', queue: 'colony-node-b' }), 's on node b, waits for somebody to take it'],
    [work({ summary: 's', attempt: 2 }), 's, 2nd try'],
    [work({ summary: 's', attempt: 11, failure: 'no' }), 's, 11th try after: no'],
    [work({ summary: 's', attempt: 23, failure: 'no' }), 's, 23rd try after: no'],
  ])('%j', (one, text) => expect(pendingText(one)).toBe(text));

  it('is nothing when nothing is in the air', () => expect(inTheAir([])).toBeUndefined());
});

describe('bytesText', () => {
  it.each([
    [0, '0B'],
    [1023, '1023B'],
    [1024, '1Ki'],
    [1536, '1.5Ki'],
    [512 * 1024 ** 2, '512Mi'],
    [1.25 * 1024 ** 3, '1.3Gi'],
  ])('%d', (bytes, text) => expect(bytesText(bytes)).toBe(text));
});
