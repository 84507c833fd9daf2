import type { View } from '../../definitions/core/plan.ts';
import type { Resource } from '../../definitions/core/resource.ts';

/** What a reader can tell of the view that the workflow has. */
export function viewOf({ apiVersion, kind, metadata, spec, status }: Resource): View {
  return {
    now: Date.now(),
    apiVersion,
    kind,
    metadata,
    spec,
    deleting: false,
    observed: {},
    failing: {},
    nudge: 0,
    status,
    tuning: { scheduleToStartMs: 30_000, firstRetryMs: 1_000 },
  };
}
