import { describe, expect, it } from 'vitest';
import { figure, median, quantile, spread } from './statistics.ts';

describe('statistics', () => {
  it('takes the middle, whatever the order', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('interpolates between neighbours', () => {
    expect(quantile([10, 20, 30, 40, 50], 0.25)).toBe(20);
    expect(quantile([10, 20], 0.75)).toBe(17.5);
  });

  it('has no opinion on nothing', () => {
    expect(() => median([])).toThrow();
  });

  it('calls equal values without spread', () => {
    expect(spread([7, 7, 7, 7])).toBe(0);
  });

  it.each([
    [0, '0'],
    [0.004, '0.00'],
    [1.234, '1.23'],
    [41.26, '41.3'],
    [123.6, '124'],
    [16, '16'],
  ])('shows %d as %s', (value, text) => {
    expect(figure(value)).toBe(text);
  });
});
