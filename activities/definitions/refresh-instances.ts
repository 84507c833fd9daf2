import type { Client } from '@temporalio/client';
import { identityOf } from '../../definitions/core/identity.ts';
import { checkWith } from '../../definitions/core/issues/index.ts';
import type { Issue } from '../../definitions/core/kind.ts';
import type { JsonObject, Metadata } from '../../definitions/core/resource.ts';
import { kindOf } from '../../definitions/resource-definition/kind-of.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import { ask } from '../resources/ask.ts';
import { instancesOf } from './instances.ts';

export interface RefreshRequest {
  readonly metadata: Metadata;
  readonly spec: DefinitionSpec;
}

export interface Refreshed {
  readonly instances: number;
  readonly notFittingCount: number;
  readonly notFitting: readonly { readonly name: string; readonly namespace?: string; readonly issues: readonly Issue[] }[];
}

const MAX_NAMED = 20;

/** Asks every instance of a definition to admit itself again, and tells which no longer fit. Safe to repeat. */
export function createRefreshInstances(client: Client): (request: RefreshRequest) => Promise<Refreshed> {
  return async ({ metadata, spec }) => {
    const kind = kindOf(spec);
    const notFitting: Refreshed['notFitting'][number][] = [];
    let instances = 0;
    let notFittingCount = 0;
    for await (const { workflowId, memo } of instancesOf(client, spec)) {
      instances += 1;
      const handle = client.workflow.getHandle(workflowId);
      const checked = checkWith(kind.spec, memo?.spec ?? (await storedSpec(client, workflowId)), 'spec');
      if ('issues' in checked) {
        const { name = workflowId, namespace } = identityOf(workflowId) ?? {};
        notFittingCount += 1;
        if (notFitting.length < MAX_NAMED)
          notFitting.push({ name, ...(namespace ? { namespace } : {}), issues: checked.issues.slice(0, 3) });
      }
      await handle.signal('readmit', { uid: metadata.uid, generation: metadata.generation }).catch(ignoreGone);
    }
    return { instances, notFittingCount, notFitting };
  };
}

async function storedSpec(client: Client, id: string): Promise<JsonObject> {
  return (await ask<{ readonly spec?: JsonObject } | null>(client, id, 'resource'))?.spec ?? {};
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
}
