import { describe, expect, it } from 'vitest';
import { livingStat, statOf } from './linux-stat.ts';

const line = (state: string, threads: number): string =>
  `18799 (temporal) (x) ${state} 1 18799 18799 0 -1 4227084 9871 0 0 0 310 61 0 0 20 0 ${threads} 0 290061 0 0 18446744073709551615 0 0 0\n`;

describe('what Linux says of a process', () => {
  it('begins with its state, whatever its name is, and holds when it started', () => {
    expect(livingStat(line('S', 9))).toMatchObject({ 0: 'S', 3: '18799', 19: '290061' });
    expect(statOf(process.pid)?.[0]).toMatch(/^[RS]$/);
  });

  it.each([
    { name: 'a zombie', text: line('Z', 1) },
    { name: 'a dead one', text: line('X', 0) },
    { name: 'nobody', text: '' },
  ])('$name is nobody', ({ text }) => expect(livingStat(text)).toBeUndefined());

  it('one that was killed is still there while threads of it end: its port is not free yet', () => {
    expect(livingStat(line('Z', 2))).toBeDefined();
  });
});
