import { describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    { text: '30s', ms: 30_000 },
    { text: '1m30s', ms: 90_000 },
    { text: '500ms', ms: 500 },
    { text: '1.5h', ms: 5_400_000 },
    { text: '10', ms: 10_000 },
    { text: '0', ms: 0 },
  ])('$text', ({ text, ms }) => expect(parseDuration(text, '--timeout')).toBe(ms));

  it.each(['', 'soon', '30 s', '-1s', '1s!', 's'])('refuses %j', (text) => {
    expect(() => parseDuration(text, '--timeout')).toThrow(UsageError);
  });
});
