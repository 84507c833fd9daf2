import { createHash } from 'node:crypto';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';

const MAX_NAME = 63;
/** Strangers that may hold a name before we give up. */
export const MAX_NAMES = 20;

/**
 * The name of the container of one slot: the same each time it is asked for, so that a second create finds the first one.
 *
 * `turn` counts the names that strangers hold: 1 is the plain name, then `-2`, `-3`, …
 * Guarantees: at most 63 characters, valid as a container's name and as a host name.
 */
export function containerName(owner: InstanceOwner, slot: number, digest: string, turn = 1): string {
  const tail = `-${hash(owner.uid)}-${slot}-${shortDigest(digest)}${turn > 1 ? `-${turn}` : ''}`;
  const head = owner.name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_NAME - tail.length)
    .replace(/-+$/, '');
  return `${head || 'x'}${tail}`;
}

/** Is it one of the names above? */
export function isNameOf(name: string, owner: InstanceOwner, slot: number, digest: string): boolean {
  for (let turn = 1; turn <= MAX_NAMES; turn += 1) if (name === containerName(owner, slot, digest, turn)) return true;
  return false;
}

const hash = (uid: string): string => createHash('sha256').update(uid).digest('hex').slice(0, 10);

const shortDigest = (digest: string): string =>
  digest
    .replace(/^\w+:/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 8);
