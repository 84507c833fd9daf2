import { describe, expect, it } from 'vitest';
import { age, humanSpan } from './age.ts';

describe('humanSpan', () => {
  it.each([
    { seconds: -5, text: '0s' },
    { seconds: 0, text: '0s' },
    { seconds: 119, text: '119s' },
    { seconds: 120, text: '2m' },
    { seconds: 312, text: '5m12s' },
    { seconds: 600, text: '10m' },
    { seconds: 3_600 * 3 + 60 * 5, text: '3h5m' },
    { seconds: 3_600 * 30, text: '1d6h' },
    { seconds: 86_400 * 40, text: '40d' },
    { seconds: 86_400 * 400, text: '1y35d' },
  ])('$seconds s → $text', ({ seconds, text }) => expect(humanSpan(seconds * 1_000)).toBe(text));

  it('knows no age of what is no time', () => expect(age('soon', 0)).toBe('<unknown>'));
});
