import type { Client } from '@temporalio/client';
import { createFindPlace } from '../../../activities/children/place.ts';
import { sendDelete } from '../../../activities/children/send.ts';
import { annotations } from '../../../definitions/core/annotations.ts';
import { workflowIdOf } from '../../../definitions/core/identity.ts';
import type { Metadata, OwnerReference } from '../../../definitions/core/resource.ts';
import type { Owner } from '../orphans.ts';

/** Something that goes with its owners. */
export interface Belonging {
  readonly id: string;
  readonly isDeleting: boolean;
  /** Never empty. */
  readonly owners: readonly Owner[];
  end(): Promise<void>;
}

/** A resource that says it belongs to others, whose places are known. */
export interface Child extends Belonging {
  readonly uid: string;
}

/** A resource that says it has children. */
export interface Household extends Owner {
  readonly children: number;
}

/** All living resources that have an owner, as the index knows them. */
export async function childrenIn(client: Client): Promise<readonly Child[]> {
  const findPlace = createFindPlace(client);
  const idOf = async ({ apiVersion, kind, name }: OwnerReference, namespace: string | undefined): Promise<string | undefined> => {
    const place = await findPlace({ apiVersion, kind });
    if ('reason' in place) return undefined;
    const { plural, group, scope } = place;
    return workflowIdOf({ plural, group, name, ...(scope === 'Namespaced' && namespace ? { namespace } : {}) });
  };
  const children: Child[] = [];
  const query = `ColonyOwner IS NOT NULL AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, memo } of client.workflow.list({ query })) {
    const meta = memo?.meta as Metadata | undefined;
    if (!meta || meta.ownerReferences.length === 0) continue;
    const line = meta.annotations[annotations.owner];
    const owners: Owner[] = [];
    for (const reference of meta.ownerReferences) {
      const resource = reference.controller && line ? line : await idOf(reference, meta.namespace);
      if (resource) owners.push({ uid: reference.uid, resource });
    }
    // Somebody whose kind is not known may be alive: who owns it all is not for us to say.
    if (owners.length < meta.ownerReferences.length) continue;
    const itself = { id: workflowId, uid: meta.uid };
    children.push({ ...itself, isDeleting: meta.deletionTimestamp !== undefined, owners, end: () => sendDelete(client, itself) });
  }
  return children;
}

/** All living resources that have made others, by uid, as the index knows them. */
export async function ownersIn(client: Client): Promise<ReadonlyMap<string, Household>> {
  const found = new Map<string, Household>();
  const query = `ColonyChildren > 0 AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, memo, typedSearchAttributes } of client.workflow.list({ query })) {
    const meta = memo?.meta as Metadata | undefined;
    const children = typedSearchAttributes.getAll().find(({ key }) => key.name === 'ColonyChildren')?.value;
    if (meta && typeof children === 'number') found.set(meta.uid, { uid: meta.uid, resource: workflowId, children });
  }
  return found;
}
