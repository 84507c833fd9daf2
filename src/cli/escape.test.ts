import { describe, expect, it } from 'vitest';
import { escapeLine, escapeQuoted, escapeText, hasControls } from './escape.ts';

describe('escape', () => {
  it('shows what a terminal would act on', () => {
    expect(escapeLine('a\u001b[31mred\u0007\u009b2J\u202ex\n\t\r')).toBe('a\\x1b[31mred\\x07\\x9b2J\\u202ex\\n\\t\\r');
  });

  it('keeps newlines and tabs of text, and letters of every language', () => {
    expect(escapeText('grün\n\t日本\u001b')).toBe('grün\n\t日本\\x1b');
  });

  it('writes JSON that reads back to the same value', () => {
    const value = { text: 'a\u001b\u007f\u009b\u202e\u2028' };
    const json = escapeQuoted(JSON.stringify(value));
    expect(hasControls(json)).toBe(false);
    expect(JSON.parse(json)).toEqual(value);
  });
});
