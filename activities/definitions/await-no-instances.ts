import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import { instancesQuery } from './instances.ts';

/** Succeeds once no resource of the definition is left; until then NotReady with their number. */
export function createAwaitNoInstances(client: Client): (request: { readonly spec: DefinitionSpec }) => Promise<{ instances: 0 }> {
  return async ({ spec }) => {
    const { count } = await client.workflow.count(instancesQuery(spec));
    if (count === 0) return { instances: 0 };
    const message = `${count} ${count === 1 ? 'instance' : 'instances'} of ${spec.names.kind} must be deleted first`;
    throw ApplicationFailure.create({ type: 'NotReady', message, category: 'BENIGN', nextRetryDelay: '2s' });
  };
}
