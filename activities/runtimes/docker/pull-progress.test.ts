import { describe, expect, it } from 'vitest';
import { pullProgress } from './pull-progress.ts';

describe('pullProgress', () => {
  it('adds up the layers', () => {
    const text = pullProgress('busybox:1.36');
    expect(text({ status: 'Pulling from library/busybox', id: '1.36' })).toBe('pulling busybox:1.36');
    expect(text({ status: 'Downloading', id: 'a', progressDetail: { current: 12_300_000, total: 30_000_000 } })).toBe(
      'pulling busybox:1.36: 12.3 of 30.0 MB',
    );
    text({ status: 'Downloading', id: 'b', progressDetail: { current: 0, total: 10_100_000 } });
    text({ status: 'Extracting', id: 'a', progressDetail: { current: 1, total: 99_000_000 } });
    expect(text({ status: 'Download complete', id: 'a' })).toBe('pulling busybox:1.36: 30.0 of 40.1 MB');
  });
});
