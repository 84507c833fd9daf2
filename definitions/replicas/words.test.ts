import { describe, expect, it } from 'vitest';
import { exitText, slotsText } from './words.ts';

describe('slots in words', () => {
  it.each([
    { slots: [3], text: 'slot 3' },
    { slots: [0, 1, 2, 3, 4, 7], text: 'slots 0-4, 7' },
    { slots: [5, 1, 1], text: 'slots 1, 5' },
  ])('$slots are $text', ({ slots, text }) => expect(slotsText(slots)).toBe(text));
});

describe('an end in words', () => {
  const at = '2026-01-01T00:00:00Z';
  it.each([
    { lastExit: { code: 3, at }, text: 'exit code 3' },
    { lastExit: { code: 143, signal: 'SIGTERM', at }, text: 'ended by SIGTERM' },
    { lastExit: { code: 137, signal: 'SIGKILL', outOfMemory: true, at }, text: 'out of memory' },
  ])('is $text', ({ lastExit, text }) => expect(exitText({ lastExit, state: 'exited' })).toBe(text));

  it('that nobody saw is its state', () => expect(exitText({ state: 'dead' })).toBe('dead'));
});
