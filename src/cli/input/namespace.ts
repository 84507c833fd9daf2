import { apiVersionOf } from '../../../definitions/core/kind.ts';
import type { Colony } from '../../client/api.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../usage-error.ts';
import { isDefinition, type RawManifest } from './manifests.ts';

/** Puts a manifest that names no namespace into the command's; one that names another than `-n` is refused, as by kubectl. */
export async function inNamespace(context: Context, colony: Colony, manifest: RawManifest): Promise<RawManifest> {
  if (isDefinition(manifest)) return manifest;
  const { namespace } = manifest.metadata;
  const asked = context.globals.namespace;
  if (namespace === undefined) {
    const isCluster = (await scopeOf(colony, manifest)) === 'Cluster';
    return isCluster ? manifest : { ...manifest, metadata: { ...manifest.metadata, namespace: context.namespace } };
  }
  if (asked === undefined || asked === namespace) return manifest;
  throw new UsageError(
    `${manifest.kind} ${manifest.metadata.name} says namespace ${namespace}, the command says ${asked}`,
    `Leave out -n, or say -n ${namespace}.`,
  );
}

/** Undefined for a kind that nobody knows (yet); the write itself will tell. */
async function scopeOf(colony: Colony, { apiVersion, kind }: RawManifest): Promise<string | undefined> {
  const kinds = await colony.kinds();
  return kinds.find((known) => known.names.kind === kind && apiVersionOf(known.kind) === apiVersion)?.kind.scope;
}
