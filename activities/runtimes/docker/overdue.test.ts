import { describe, expect, it } from 'vitest';
import { Known } from './known.ts';
import { Overdue } from './overdue.ts';

describe('commands that are overdue', () => {
  it('are known by container and by every word', () => {
    const overdue = new Overdue();
    overdue.add('c1', ['sleep', '1'], 'e1');
    overdue.add('c1', ['sleep', '1'], 'e2');
    overdue.add('c1', ['sleep 1'], 'e3');
    overdue.add('c2', ['sleep', '1'], 'e4');
    expect(overdue.of('c1', ['sleep', '1'])).toEqual(['e1', 'e2']);
    expect(overdue.of('c2', ['sleep 1'])).toEqual([]);
  });

  it('leave nothing when they have ended', () => {
    const overdue = new Overdue();
    overdue.add('c1', ['sleep', '1'], 'e1');
    overdue.delete('c1', 'e1');
    overdue.delete('c1', 'e1');
    expect(overdue.size).toBe(0);
  });

  it('are forgotten with their container', () => {
    const known = new Known();
    known.overdue.add('c1', ['sleep', '1'], 'e1');
    known.gone('c1');
    expect(known.overdue.size).toBe(0);
  });
});
