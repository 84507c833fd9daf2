import { describe, expect, it } from 'vitest';
import { usageOf } from './stats.ts';

const sample = (read: string, total_usage: number) => ({
  read,
  cpu_stats: { cpu_usage: { total_usage } },
  memory_stats: { usage: 1000, limit: 5000, stats: { total_inactive_file: 300 } },
  pids_stats: { current: 4 },
});

describe('usageOf', () => {
  it('is the use between two looks', () => {
    const [before, now] = [sample('2026-01-01T00:00:00.000Z', 1e9), sample('2026-01-01T00:00:02.000Z', 1.5e9)];
    expect(usageOf('id', before, now)).toEqual({ id: 'id', cpus: 0.25, memoryBytes: 700, memoryLimitBytes: 5000, pids: 4 });
  });

  it('is nothing between one look and itself, or after a restart', () => {
    const one = sample('2026-01-01T00:00:00.000Z', 1e9);
    expect(usageOf('id', one, one).cpus).toBe(0);
    expect(usageOf('id', one, sample('2026-01-01T00:00:01.000Z', 0)).cpus).toBe(0);
  });
});
