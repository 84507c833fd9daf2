import type { Resource } from '../../../definitions/core/resource.ts';

/**
 * A resource as people are shown it: of a Workflow the next run is the next one from now on.
 *
 * Its status has the one that came next when it last changed: a Workflow that rests writes nothing, also not because time passes.
 */
export async function asOfNow(resource: Resource, now: number): Promise<Resource> {
  const { apiVersion, kind, status } = resource;
  const { nextRun, schedule, timezone } = status ?? {};
  if (kind !== 'Workflow' || !apiVersion.startsWith('automation.colonies.io/') || !isText(nextRun) || !isText(schedule)) return resource;
  if (Date.parse(nextRun) > now) return resource;
  const { nextRunAfter } = await import('../../../definitions/workflow/cron.ts');
  const next = nextRunAfter(schedule, isText(timezone) ? timezone : 'UTC', now);
  return next === undefined ? resource : { ...resource, status: { ...status, nextRun: new Date(next).toISOString() } };
}

const isText = (value: unknown): value is string => typeof value === 'string';
