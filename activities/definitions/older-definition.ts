import type { Client } from '@temporalio/client';
import { isOlder } from '../../definitions/core/is-older.ts';
import type { Metadata } from '../../definitions/core/resource.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';

const DEFINITIONS = `WorkflowType = 'ResourceDefinition' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH 'resourcedefinitions.colonies.io/'`;

/**
 * The name of the definition that had this kind first. The door refuses a second one; two that come at once, or past the door, are
 * told apart here. One whose spec is too large for the index is passed over.
 */
export async function olderDefinition(client: Client, metadata: Metadata, { group, names }: DefinitionSpec): Promise<string | undefined> {
  let oldest = metadata;
  for await (const { memo } of client.workflow.list({ query: DEFINITIONS, pageSize: 50 })) {
    const { meta, spec } = (memo ?? {}) as { readonly meta?: Metadata; readonly spec?: DefinitionSpec };
    if (meta && spec?.group === group && spec.names?.kind === names.kind && isOlder(meta, oldest)) oldest = meta;
  }
  return oldest.name === metadata.name ? undefined : oldest.name;
}
