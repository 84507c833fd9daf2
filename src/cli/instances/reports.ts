import type { Resource } from '../../../definitions/core/resource.ts';
import type { InstanceReport } from '../../../definitions/replicas/report.ts';

/** What a status says of its instances; none for kinds that have none. Anybody may write a status, so only what has the form counts. */
export function reportsOf({ status }: Resource): readonly InstanceReport[] {
  const instances: unknown = status?.instances;
  return Array.isArray(instances) ? instances.filter(isReport) : [];
}

function isReport(value: unknown): value is InstanceReport {
  const { id, name, node, slot, state } = (value ?? {}) as Record<string, unknown>;
  return [id, name, node, state].every((text) => typeof text === 'string') && typeof slot === 'number';
}
