import type { Client } from '@temporalio/client';
import { identityOf } from '../../definitions/core/identity.ts';
import { checkWith } from '../../definitions/core/issues/index.ts';
import { apiVersionOf, type Issue, type Kind } from '../../definitions/core/kind.ts';
import { quote } from '../../definitions/core/quote.ts';
import type { JsonObject, Metadata } from '../../definitions/core/resource.ts';
import { kindOf } from '../../definitions/resource-definition/kind-of.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import { ask } from '../resources/ask.ts';
import { instancesOf } from './instances.ts';
import { olderDefinition } from './older-definition.ts';

export interface RefreshRequest {
  readonly metadata: Metadata;
  readonly spec: DefinitionSpec;
}

export interface Refreshed {
  readonly instances: number;
  /** The name of an older definition of the same kind. */
  readonly takenBy?: string;
  readonly notFittingCount: number;
  readonly notFitting: readonly { readonly name: string; readonly namespace?: string; readonly issues: readonly Issue[] }[];
}

const MAX_NAMED = 20;

/** Asks every instance of a definition to admit itself again, and tells which no longer fit. Safe to repeat. */
export function createRefreshInstances(client: Client): (request: RefreshRequest) => Promise<Refreshed> {
  return async ({ metadata, spec }) => {
    const kind = kindOf(spec);
    const takenBy = await olderDefinition(client, metadata, spec);
    const notFitting: Refreshed['notFitting'][number][] = [];
    let instances = 0;
    let notFittingCount = 0;
    for await (const { workflowId, memo } of instancesOf(client, spec)) {
      instances += 1;
      const handle = client.workflow.getHandle(workflowId);
      const stored = memo?.spec ? (memo as Stored) : await ask<Stored | null>(client, workflowId, 'resource');
      const issues = misfits(stored ?? {}, kind);
      if (issues.length > 0) {
        const { name = workflowId, namespace } = identityOf(workflowId) ?? {};
        notFittingCount += 1;
        if (notFitting.length < MAX_NAMED) notFitting.push({ name, ...(namespace ? { namespace } : {}), issues: issues.slice(0, 3) });
      }
      await handle.signal('readmit', { uid: metadata.uid, generation: metadata.generation }).catch(ignoreGone);
    }
    return { instances, ...(takenBy ? { takenBy } : {}), notFittingCount, notFitting };
  };
}

interface Stored {
  readonly apiVersion?: string;
  readonly spec?: JsonObject;
}

function misfits({ apiVersion, spec = {} }: Stored, kind: Kind): readonly Issue[] {
  const wanted = apiVersionOf(kind);
  const isOfAnother = apiVersion !== undefined && apiVersion !== wanted;
  const checked = checkWith(kind.spec, spec, 'spec');
  return [
    ...(isOfAnother ? [{ path: 'apiVersion', message: `must be ${wanted} (got ${quote(apiVersion)})` }] : []),
    ...('issues' in checked ? checked.issues : []),
  ];
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
}
