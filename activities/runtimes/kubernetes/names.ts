import { createHash } from 'node:crypto';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';

/** Leaves room for what Kubernetes appends to the names of pods. */
const MAX_NAME = 46;

/** The name of an owner's Deployment: the same each time, so that it is found again, and valid as a host name. */
export function deploymentName({ uid, name }: Pick<InstanceOwner, 'uid' | 'name'>): string {
  const tail = `-${createHash('sha256').update(uid).digest('hex').slice(0, 10)}`;
  const head = name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_NAME - tail.length)
    .replace(/-+$/, '');
  return `${head || 'x'}${tail}`;
}
