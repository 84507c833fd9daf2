import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../definitions/core/resource.ts';
import { ConflictError, InvalidError } from '../client/errors.ts';
import type { RequestEvent, Requests } from './follow.ts';
import { work } from './work.ts';

const offer = {
  type: 'ADDED',
  resource: { metadata: { name: 'r1', resourceVersion: '1' }, spec: { 'request-uid': 'u1', job: 'JOB1', state: 'REQUESTED' } },
} as RequestEvent;

/** A worker that is shown one request at JOB1, and ends when its claim has been answered. */
async function serveOne(answer: (args: JsonObject) => JsonObject): Promise<{ asked: JsonObject[]; performed: string[]; said: string[] }> {
  const stop = new AbortController();
  const seen = { asked: [] as JsonObject[], performed: [] as string[], said: [] as string[] };
  const requests = {
    async *watch() {
      yield offer;
    },
    command: async (_: unknown, verb: string, args: JsonObject) => {
      if (verb === 'move') return { resourceVersion: '2' };
      stop.abort();
      seen.asked.push(args);
      return { answer: answer(args) };
    },
  } as unknown as Requests;
  const perform = async ({ job }: { readonly job: string }): Promise<void> => void seen.performed.push(job);
  const say = (line: string): void => void seen.said.push(line);
  await work({ requests, namespace: 'n', name: 'w', jobs: ['JOB1'], leaseMs: 30_000, parallel: 1, perform, say, signal: stop.signal });
  return seen;
}

const refusing = (error: Error) => (): never => {
  throw error;
};

describe('a worker', () => {
  it('claims the job that it saw, so that nobody gives it another', async () => {
    const { asked, performed } = await serveOne(({ job = 'JOB2' }) => ({ job, attempt: 1 }));
    expect(asked).toEqual([{ worker: 'w', job: 'JOB1', leaseSeconds: 30 }]);
    expect(performed).toEqual(['JOB1']);
  });

  it('is silent about a claim for which it came too late, and says why one can never be had', async () => {
    expect((await serveOne(refusing(new ConflictError('JOB1 is claimed by x')))).said).toEqual([]);
    const invalid = new InvalidError([{ path: 'args.leaseSeconds', message: 'is too much' }]);
    expect((await serveOne(refusing(invalid))).said).toEqual(['r1 could not be claimed: args.leaseSeconds: is too much']);
  });
});
