import type { Plan, View } from '../core/plan.ts';
import { restartsOf } from './control.ts';
import type { WorkflowRunSpec } from './schema.ts';
import { OWN_CONDITIONS } from './status.ts';
import type { Telling } from './telling.ts';

/** Whether a run has come to its end, and nobody has asked for a retry since. */
export function isFinished(view: Pick<View, 'status' | 'observed'>): boolean {
  return view.status?.finishedAt !== undefined && Number(view.status.retries ?? 0) === restartsOf(view).retries;
}

/** A finished run stays as it is until its time is over, and everybody was told who shall be. */
export function finished({ now, spec, status, metadata }: View<WorkflowRunSpec>, { steps, lines, notes }: Telling): Plan {
  const { conditions = [], phase = 'Succeeded', observedGeneration: _generation, ...own } = status ?? {};
  const ttl = spec.ttlSecondsAfterFinished;
  const goesAt = ttl === undefined ? undefined : Date.parse(String(own.finishedAt)) + ttl * 1_000;
  const isDue = goesAt !== undefined && goesAt <= now;
  return {
    steps,
    status: lines.length > 0 ? { ...own, notifications: lines } : own,
    notes,
    phase,
    conditions: conditions
      .filter(({ type }) => OWN_CONDITIONS.includes(type))
      .map(({ type, status: is, reason, message }) => ({ type, status: is, reason, message })),
    observedGeneration: metadata.generation,
    ...(goesAt === undefined || isDue ? {} : { wakeAt: goesAt }),
    ...(isDue && steps.length === 0 ? { retire: true } : {}),
  };
}
