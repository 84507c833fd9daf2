import { ApplicationFailure, heartbeat } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ChildRef } from '../../definitions/core/children.ts';
import { workflowIdOf } from '../../definitions/core/identity.ts';
import { apiVersionOf, type Kind } from '../../definitions/core/kind.ts';
import { checkManifest } from '../../definitions/core/manifest.ts';
import type { JsonObject, Manifest, Metadata, OwnerReference } from '../../definitions/core/resource.ts';
import { builtInKinds } from '../../definitions/kinds.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import { sendApply, sendDelete } from './send.ts';

export interface ApplyChildrenRequest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly children: readonly JsonObject[];
  readonly inventory: readonly ChildRef[];
}

type Place = Pick<Kind, 'scope'> & { readonly plural: string; readonly group: string };

/**
 * Brings the children of a resource to what it wishes: applies each, then deletes what is in the inventory and no longer wished.
 *
 * Safe to repeat: an unchanged child costs nothing. A resource of that name that belongs to somebody else is never touched.
 */
export function createApplyChildren(client: Client): (request: ApplyChildrenRequest) => Promise<{ children: readonly ChildRef[] }> {
  return async (request) => {
    const owner = ownerOf(request);
    const children: ChildRef[] = [];
    for (const [index, given] of request.children.entries()) {
      heartbeat(index);
      const manifest = manifestOf(given, index, request.metadata);
      const { group, plural, scope } = await placeOf(client, manifest);
      const namespace = scope === 'Cluster' ? undefined : manifest.metadata.namespace;
      const { name } = manifest.metadata;
      const id = workflowIdOf({ plural, group, name, ...(namespace ? { namespace } : {}) });
      await refuseStranger(client, id, owner.uid);
      const labels = { ...manifest.metadata.labels };
      const { uid } = await sendApply(client, manifest.kind, id, {
        ...manifest,
        metadata: { ...manifest.metadata, labels, ownerReferences: [owner] },
        actor: `${owner.kind}/${owner.name}`,
      });
      children.push({ apiVersion: manifest.apiVersion, kind: manifest.kind, ...(namespace ? { namespace } : {}), name, uid, id });
    }
    const wished = new Set(children.map(({ uid }) => uid));
    for (const { id, uid } of [...request.inventory].reverse()) if (!wished.has(uid)) await sendDelete(client, id, uid);
    return { children };
  };
}

function ownerOf({ apiVersion, kind, metadata }: ApplyChildrenRequest): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

/** A child lives in its owner's namespace unless it says otherwise. */
function manifestOf(given: JsonObject, index: number, owner: Metadata): Manifest {
  const metadata = typeof given.metadata === 'object' && given.metadata !== null ? given.metadata : {};
  const checked = checkManifest({ ...given, metadata: { ...(owner.namespace ? { namespace: owner.namespace } : {}), ...metadata } });
  if ('manifest' in checked) return checked.manifest;
  const [issue] = checked.issues;
  throw ApplicationFailure.nonRetryable(`children[${index}].${issue?.path}: ${issue?.message}`, 'ChildInvalid');
}

async function placeOf(client: Client, { apiVersion, kind }: Manifest): Promise<Place> {
  const builtIn = builtInKinds.find((one) => apiVersionOf(one) === apiVersion && one.names.kind === kind);
  if (builtIn) return { scope: builtIn.scope, plural: builtIn.names.plural, group: builtIn.group };
  for await (const { memo } of client.workflow.list({
    query: `WorkflowType = 'ResourceDefinition' AND ExecutionStatus = 'Running'`,
    pageSize: 20,
  })) {
    const spec = memo?.spec as DefinitionSpec | undefined;
    if (spec && spec.names.kind === kind && apiVersionOf(spec) === apiVersion)
      return { scope: spec.scope, plural: spec.names.plural, group: spec.group };
  }
  throw ApplicationFailure.create({ type: 'NotReady', message: `waits for a definition of ${apiVersion} ${kind}`, category: 'BENIGN' });
}

async function refuseStranger(client: Client, id: string, ownerUid: string): Promise<void> {
  const described = await client.workflow
    .getHandle(id)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
      throw error;
    });
  const meta = described?.memo?.meta as Metadata | undefined;
  if (described?.status.name !== 'RUNNING' || !meta) return;
  if (meta.ownerReferences.some(({ uid }) => uid === ownerUid)) return;
  throw ApplicationFailure.nonRetryable(`${id} exists and belongs to somebody else; it was not touched`, 'ChildNotOwned');
}
