import { describe, expect, it } from 'vitest';
import { lifeBoundary } from './lives.ts';

const NEVER = '0001-01-01T00:00:00Z';
const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

describe('lifeBoundary', () => {
  it.each([
    { name: 'never started', life: { Status: 'created', StartedAt: NEVER, FinishedAt: NEVER }, boundary: undefined },
    { name: 'its first life', life: { Status: 'running', StartedAt: at(100), FinishedAt: NEVER }, boundary: undefined },
    {
      name: 'running again: just after the end before',
      life: { Status: 'running', StartedAt: at(200), FinishedAt: at(100) },
      boundary: '100.100',
    },
    {
      name: 'started again at once: half way',
      life: { Status: 'running', StartedAt: at(100.1), FinishedAt: at(100) },
      boundary: '100.050',
    },
    { name: 'ended: just before its last start', life: { Status: 'exited', StartedAt: at(100), FinishedAt: at(200) }, boundary: '99.900' },
  ])('$name', ({ life, boundary }) => expect(lifeBoundary(life)).toBe(boundary));
});
