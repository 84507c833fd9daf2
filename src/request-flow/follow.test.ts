import { describe, expect, it } from 'vitest';
import { ColonyError, InvalidError } from '../client/errors.ts';
import { follow, type Requests } from './follow.ts';

/** A watch that breaks with this, and is asked again until the signal. */
async function following(error: Error): Promise<readonly string[]> {
  const stop = new AbortController();
  const said: string[] = [];
  const requests = {
    watch: () => {
      throw error;
    },
  } as unknown as Requests;
  const say = (line: string): void => {
    said.push(line);
    stop.abort();
  };
  await follow(requests, { namespace: 'n', signal: stop.signal }, () => {}, say);
  return said;
}

describe('follow', () => {
  it('begins a broken watch anew, and gives up one that can never be', async () => {
    expect(await following(new ColonyError('Unreachable', 'nobody answers'))).toEqual([
      'the watch broke and is begun anew: nobody answers',
    ]);
    await expect(following(new InvalidError([{ path: 'namespace', message: 'is none' }]))).rejects.toMatchObject({ code: 'Invalid' });
  });
});
