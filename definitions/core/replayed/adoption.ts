import { annotations as known } from '../annotations.ts';
import type { Metadata, OwnerReference } from '../resource.ts';

/** Who wants to be the controller of a resource; has no uid while it is not there itself. */
export type Claimant = Pick<OwnerReference, 'kind' | 'name'> & { readonly uid?: string };

interface Claimed {
  readonly kind: string;
  readonly metadata: Pick<Metadata, 'name' | 'ownerReferences' | 'annotations'>;
}

/**
 * Why a resource that is there is neither the claimant's nor has agreed to become it; undefined when it is or has.
 *
 * The resource itself decides in the end (workflows/settle.ts); whoever asks before reads the same words.
 */
export function whyNotOurs(
  claimant: Claimant | undefined,
  { kind, metadata: { name, ownerReferences, annotations } }: Claimed,
): string | undefined {
  const owner = controllerOf(ownerReferences);
  if (owner) return owner.uid === claimant?.uid ? undefined : `${kind} ${name} exists and belongs to ${owner.kind} ${owner.name}`;
  const consent = annotations[known.adopt];
  if (consent === 'true' || (claimant && consent === `${claimant.kind}/${claimant.name}`)) return undefined;
  return `${kind} ${name} exists and belongs to nobody; its annotation ${known.adopt}: "true" would give it away`;
}

/** The one of several owners that speaks for a resource. */
export const controllerOf = (owners: readonly OwnerReference[]): OwnerReference | undefined => owners.find(({ controller }) => controller);
