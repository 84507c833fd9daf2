import { apiVersionOf } from '../../definitions/core/kind.ts';
import type { Resource } from '../../definitions/core/resource.ts';
import type { Ref } from '../client/api.ts';
import { NotFoundError } from '../client/errors.ts';
import type { ReadableKind, Reading } from './reading.ts';
import { isRefusal } from './report.ts';

/** A resource, and the kind that has it. */
export interface Held<K> {
  readonly kind: K;
  readonly resource: Resource;
}

/** Of kinds that share a name, those that have a resource of that name. Throws NotFoundError when none has. */
export async function thoseThatHave<K extends ReadableKind>(
  reading: Pick<Reading, 'resources'>,
  kinds: readonly K[],
  ref: Ref,
): Promise<readonly Held<K>[]> {
  const held: Held<K>[] = [];
  for (const kind of kinds) {
    const resource = await reading
      .resources(apiVersionOf(kind.kind), kind.names.kind)
      .get(ref)
      .catch((error: unknown) => {
        if (!isRefusal(error, 'NotFound')) throw error;
      });
    if (resource) held.push({ kind, resource });
  }
  if (held.length > 0) return held;
  const names = kinds.map(({ kind, names: { plural } }) => `${plural}.${kind.group}`).join(', ');
  throw new NotFoundError(`no ${kinds[0]?.names.kind} is called ${ref.name} in namespace ${ref.namespace}`, `Looked among ${names}.`);
}
