import { annotations } from '../../definitions/core/annotations.ts';
import type { ChildWish } from '../../definitions/core/family.ts';
import { workflowIdOf } from '../../definitions/core/identity.ts';
import { apiVersionOf } from '../../definitions/core/kind.ts';
import { checkManifest } from '../../definitions/core/manifest.ts';
import type { JsonObject, Manifest, Metadata, OwnerReference } from '../../definitions/core/resource.ts';
import type { Place } from './place.ts';

/** Who wants the children. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  /** Id of its workflow. */
  readonly id: string;
}

/** A child's manifest with everything that ties it to its owner, and the id of its workflow; or what is wrong with it. */
export function manifestOf(
  { manifest }: ChildWish,
  place: Place,
  owner: Owner,
): { readonly id: string; readonly manifest: Manifest } | { readonly message: string } {
  const given = (manifest.metadata ?? {}) as JsonObject;
  const { namespace: home } = owner.metadata;
  const checked = checkManifest({
    ...manifest,
    apiVersion: apiVersionOf(place),
    metadata: { ...(place.scope === 'Namespaced' && home ? { namespace: home } : {}), ...given },
  });
  if ('issues' in checked) return { message: checked.issues.map(({ path, message }) => `${path}: ${message}`).join('; ') };
  const { metadata } = checked.manifest;
  const namespace = place.scope === 'Cluster' ? undefined : metadata.namespace;
  return {
    id: workflowIdOf({ plural: place.plural, group: place.group, name: metadata.name, ...(namespace ? { namespace } : {}) }),
    manifest: {
      ...checked.manifest,
      metadata: {
        ...metadata,
        labels: { ...metadata.labels },
        annotations: { ...metadata.annotations, [annotations.owner]: owner.id },
        ownerReferences: [referenceTo(owner)],
      },
    },
  };
}

function referenceTo({ apiVersion, kind, metadata }: Owner): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}
