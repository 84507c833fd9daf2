import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

/** Calls that end when they are told to. */
function stage() {
  const turns = new Turns();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const call = (name: string, bytes: number, resource = 'one') => {
    const done = turns.take(resource, bytes, async () => {
      begun.push(name);
      await new Promise<void>((end) => ends.set(name, end));
      if (name === 'fails') throw new Error(name);
    });
    return done.catch(() => {});
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { begun, call, end, settle };
}

describe('Turns', () => {
  it('lets small calls go at once, however many', async () => {
    const { begun, call, settle } = stage();
    for (let n = 0; n < 500; n++) void call(`c${n}`, 500);
    await settle();
    expect(begun).toHaveLength(500);
  });

  it('lets large calls to one resource wait, in order, and calls to others not', async () => {
    const { begun, call, end, settle } = stage();
    void call('a', 200_000);
    void call('b', 150_000);
    void call('c', 80_000);
    void call('other', 200_000, 'two');
    await settle();
    expect(begun).toEqual(['a', 'other']);
    await end('a');
    expect(begun).toEqual(['a', 'other', 'b', 'c']);
  });

  it('lets one call go that is larger than all that is allowed, and goes on after a failure', async () => {
    const { begun, call, end, settle } = stage();
    void call('fails', 5_000_000);
    void call('b', 5_000_000);
    await settle();
    expect(begun).toEqual(['fails']);
    await end('fails');
    expect(begun).toEqual(['fails', 'b']);
  });
});
