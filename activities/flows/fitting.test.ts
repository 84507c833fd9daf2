import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../definitions/core/json.ts';
import { fitting } from './fitting.ts';

describe('fitting', () => {
  it('leaves alone what fits', () => expect(fitting('short', 'end', 100)).toBe('short'));

  it.each([
    ['plain', 'x'.repeat(5_000)],
    ['control characters', '\u0001'.repeat(5_000)],
    ['many bytes', 'ä€😀'.repeat(2_000)],
    ['all of them, plain first', `${'x'.repeat(4_000)}${'\n"'.repeat(2_000)}`],
  ])('keeps as much as has room: %s', (_, text) => {
    for (const side of ['start', 'end'] as const) {
      const fit = fitting(text, side, 1_000);
      expect(jsonBytes(fit)).toBeLessThanOrEqual(1_000);
      expect(jsonBytes(fit)).toBeGreaterThan(985);
      expect(side === 'start' ? text.startsWith(fit) : text.endsWith(fit)).toBe(true);
    }
  });
});
