import { describe, expect, it } from 'vitest';
import type { View } from '../core/plan.ts';
import { plan } from './plan.ts';
import type { StepCacheSpec } from './schema.ts';

const GOES_AT = Date.UTC(2026, 0, 1);
const view = (now: number, deleting = false) =>
  ({ spec: { key: 'k', value: 1, expiresAt: '2026-01-01T00:00:00Z' }, now, deleting }) as View<StepCacheSpec>;

describe('a kept result', () => {
  it('waits for its end, and retires when that has come', () => {
    expect(plan(view(GOES_AT - 1))).toMatchObject({ steps: [], wakeAt: GOES_AT });
    expect(plan(view(GOES_AT - 1)).retire).toBeUndefined();
    expect(plan(view(GOES_AT))).toMatchObject({ steps: [], retire: true });
  });

  it('does not wait while it is being deleted', () => {
    expect(plan(view(GOES_AT - 1, true)).wakeAt).toBeUndefined();
  });
});
