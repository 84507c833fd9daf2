import type { OwnerReference } from '../resource.ts';

/** What a search attribute of kind keyword holds in PostgreSQL, and a little room. */
const MAX_CHARS = 250;

/** How the search attribute ColonyOwner names an owner: by kind, name and uid; where the name is too long, without it. */
export function ownerKeyOf({ kind, name, uid }: Pick<OwnerReference, 'kind' | 'name' | 'uid'>): string {
  const key = `${kind}/${name}/${uid}`;
  return key.length <= MAX_CHARS ? key : `${kind}/-/${uid}`.slice(0, MAX_CHARS);
}
