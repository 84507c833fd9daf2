import type { Plan, View } from '../core/plan.ts';
import type { StepCacheSpec } from './schema.ts';

/** Does nothing but go when its time is over. */
export function plan({ spec: { expiresAt }, now, deleting }: View<StepCacheSpec>): Plan {
  const goesAt = Date.parse(expiresAt);
  const settled: Plan = {
    steps: [],
    status: {},
    phase: 'Kept',
    conditions: [{ type: 'Ready', status: 'True', reason: 'Kept', message: 'The result can be used.' }],
  };
  if (deleting) return settled;
  return goesAt <= now ? { ...settled, phase: 'Expired', retire: true } : { ...settled, wakeAt: goesAt };
}
