import { describe, expect, it } from 'vitest';
import { wrap } from './wrap.ts';

describe('wrap', () => {
  it('leaves short text alone', () => expect(wrap('a b')).toBe('a b'));

  it('keeps every line within 80 characters and every word', () => {
    const text = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
    const lines = wrap(text, { indent: 10 }).split('\n');
    expect(lines.every((line, i) => line.length <= (i === 0 ? 70 : 80))).toBe(true);
    expect(lines.map((line) => line.trim()).join(' ')).toBe(text);
  });

  it('does not break a word that is too long', () => expect(wrap(`a ${'x'.repeat(100)} b`).split('\n')).toHaveLength(3));
});
