import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { patiently } from './patiently.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const never = new Promise<void>(() => {});

it('says something after two seconds and every ten, until the work is done', async () => {
  const say = vi.fn();
  const work = patiently(after(13_000), never, say);
  await vi.advanceTimersByTimeAsync(1_900);
  expect(say).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_000);
  await work;
  expect(say).toHaveBeenCalledTimes(2);
});

it('says nothing more when nobody waits for the work any longer', async () => {
  const say = vi.fn();
  await Promise.all([patiently(never, after(1_000), say), vi.advanceTimersByTimeAsync(60_000)]);
  expect(say).not.toHaveBeenCalled();
});
