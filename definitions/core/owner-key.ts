import type { OwnerReference } from './resource.ts';

/** What a search attribute of kind keyword holds in PostgreSQL, and a little room. */
const MAX_CHARS = 250;

/** How the search attribute ColonyOwner names an owner; the workflow publishes by the same rule (workflows/publish.ts). */
export function ownerKeyOf({ kind, name, uid }: Pick<OwnerReference, 'kind' | 'name' | 'uid'>): string {
  const key = `${kind}/${name}/${uid}`;
  return key.length <= MAX_CHARS ? key : `${kind}/-/${uid}`.slice(0, MAX_CHARS);
}
