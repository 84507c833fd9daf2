import { expect, it } from 'vitest';
import { sayAs } from './say.ts';

it('says when, who and what on one line, and nothing that a terminal would obey', () => {
  const written: string[] = [];
  sayAs(
    'worker w',
    (text) => written.push(text),
    () => Date.UTC(2026, 0, 1),
  )('r1 \u001b[31mred\nJOB STARTED');
  expect(written).toEqual(['00:00:00.000 worker w r1 \\x1b[31mred\\nJOB STARTED\n']);
});
