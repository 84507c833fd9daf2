import { describe, expect, it } from 'vitest';
import { asWords } from './output.ts';

describe('what a command said, for the next one', () => {
  it.each([
    ['one line', 'x\n', 'x'],
    ['empty lines behind it', 'x\n\n\n', 'x'],
    ['lines of their own', '\n x\n\ny \n', '\n x\n\ny '],
    ['no end of a line', 'x', 'x'],
    ['nothing', '', ''],
    ['nothing but ends of lines', '\n\n', ''],
  ])('%s', (_, said, words) => expect(asWords(said)).toBe(words));
});
