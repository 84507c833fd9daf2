import type { Client } from '@temporalio/client';
import { apiVersionOf, type Kind } from '../../definitions/core/kind.ts';
import type { Metadata } from '../../definitions/core/resource.ts';
import { builtInKinds } from '../../definitions/kinds.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';

/** Where resources of a kind live. */
export interface Place extends Pick<Kind, 'group' | 'version' | 'scope'> {
  readonly plural: string;
  readonly kind: string;
}

export type Placed = Place | { readonly reason: 'KindUnknown' | 'KindAmbiguous'; readonly message: string };

/** How long what was read of the definitions may be used: one step asks for many children at once. */
const FRESH_MS = 500;

/**
 * Finds the kind that a manifest names, by its api version or, where only one kind has that name, without.
 *
 * Built-in kinds win over those that people defined under the same name.
 */
export function createFindPlace(client: Client): (manifest: { readonly apiVersion?: unknown; readonly kind?: unknown }) => Promise<Placed> {
  let read: { readonly at: number; readonly places: Promise<readonly Place[]> } | undefined;
  const defined = (): Promise<readonly Place[]> => {
    if (!read || Date.now() - read.at > FRESH_MS) {
      read = { at: Date.now(), places: readDefined(client) };
      read.places.catch(() => {
        read = undefined;
      });
    }
    return read.places;
  };
  return async ({ apiVersion, kind }) => {
    const isIt = (place: Place): boolean => place.kind === kind && (apiVersion === undefined || apiVersionOf(place) === apiVersion);
    const ours = builtIn.filter(isIt);
    const found = ours.length > 0 ? ours : (await defined()).filter(isIt);
    const [place, another] = found;
    const named = [apiVersion, kind].filter((part) => part !== undefined).join(' ');
    if (!place) return { reason: 'KindUnknown', message: `waits for a definition of kind ${named}` };
    if (!another) return place;
    const versions = found.map(apiVersionOf).sort().join(', ');
    return { reason: 'KindAmbiguous', message: `kind ${named} is known in ${versions}; say which by apiVersion` };
  };
}

const builtIn: readonly Place[] = builtInKinds.map(({ group, version, scope, names }) => ({
  group,
  version,
  scope,
  plural: names.plural,
  kind: names.kind,
}));

async function readDefined(client: Client): Promise<readonly Place[]> {
  const places: Place[] = [];
  const query = `WorkflowType = 'ResourceDefinition' AND ExecutionStatus = 'Running'`;
  for await (const { memo } of client.workflow.list({ query, pageSize: 50 })) {
    const spec = memo?.spec as DefinitionSpec | undefined;
    const meta = memo?.meta as Metadata | undefined;
    if (!spec || meta?.deletionTimestamp) continue;
    places.push({ group: spec.group, version: spec.version, scope: spec.scope, plural: spec.names.plural, kind: spec.names.kind });
  }
  return places;
}
