import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stayInTouch } from './stay-in-touch.ts';

let stop: AbortController;
let said: string[];
beforeEach(() => {
  stop = new AbortController();
  said = [];
});
afterEach(() => stop.abort());

/** Asks one after the other, and ends when there are no more answers. */
const touch = (answers: readonly boolean[], places: readonly string[] = []) => {
  const [left, where] = [[...answers], [...places]];
  const ask = async (): Promise<void> => {
    const answer = left.shift();
    if (left.length === 0) setImmediate(() => stop.abort());
    if (!answer) throw new Error('nobody');
  };
  return stayInTouch({
    ask,
    address: 'a:1',
    locate: () => where.shift() ?? 'a:1',
    say: (line) => said.push(line),
    signal: stop.signal,
    everyMs: 1,
  });
};

describe('stayInTouch', () => {
  it('says once that Temporal is lost, and once that it is back', async () => {
    await touch([true, false, false, false, true, true, false]);
    expect(said).toEqual([
      'lost Temporal: nobody answers at a:1; trying again',
      'Temporal answers again at a:1',
      'lost Temporal: nobody answers at a:1; trying again',
    ]);
  });

  it('says that Temporal is somewhere else by now, and fails', async () => {
    await expect(touch([true, true, true], ['a:1', 'a:1', 'b:2'])).rejects.toThrow();
    expect(said).toEqual(['Temporal is at b:2 now, no longer at a:1; going there']);
  });
});
