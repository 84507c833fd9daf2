import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, hunks } from './line-diff.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

describe('diffLines', () => {
  it('leads from one text to the other', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before, after);
        expect(diff.filter(({ sign }) => sign !== '+').map(({ text }) => text)).toEqual(before);
        expect(diff.filter(({ sign }) => sign !== '-').map(({ text }) => text)).toEqual(after);
      }),
    );
  });

  it('finds no difference in equal texts', () => {
    fc.assert(fc.property(lines, (text) => diffLines(text, text).every(({ sign }) => sign === ' ')));
  });

  it('changes one line for one line', () => {
    expect(diffLines(['a', 'b', 'c'], ['a', 'x', 'c']).map(({ sign, text }) => sign + text)).toEqual([' a', '-b', '+x', ' c']);
  });
});

describe('hunks', () => {
  it('shows what is near a change and marks the gap between two', () => {
    const before = Array.from({ length: 30 }, (_, i) => String(i));
    const after = before.map((line, i) => (i === 5 || i === 25 ? 'x' : line));
    const shown = hunks(diffLines(before, after)).map((line) => (line === 'gap' ? '…' : line.sign + line.text));
    expect(shown).toEqual([' 2', ' 3', ' 4', '-5', '+x', ' 6', ' 7', ' 8', '…', ' 22', ' 23', ' 24', '-25', '+x', ' 26', ' 27', ' 28']);
  });
});
