import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';

/** The visibility query for all running resources of a definition; its names were checked when it was admitted. */
export function instancesQuery({ names, group }: DefinitionSpec): string {
  return `WorkflowType = '${names.kind}' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${names.plural}.${group}/'`;
}

/** Every running resource of a definition, once, whatever visibility shows while one of them rolls over. */
export async function* instancesOf(client: Client, spec: DefinitionSpec): AsyncGenerator<WorkflowExecutionInfo> {
  const seen = new Set<string>();
  for await (const row of client.workflow.list({ query: instancesQuery(spec), pageSize: 200 })) {
    if (seen.has(row.workflowId)) continue;
    seen.add(row.workflowId);
    yield row;
  }
}
