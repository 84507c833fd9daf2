import { checkWith } from '../../definitions/core/issues/index.ts';
import type { Issue } from '../../definitions/core/kind.ts';
import { checkManifest, type Judgeable } from '../../definitions/core/manifest.ts';
import type { JsonObject, Manifest } from '../../definitions/core/resource.ts';
import { isDefinition } from '../../definitions/resource-definition/shapes.ts';
import type { KnownKind } from './api.ts';
import { checkDefinition } from './check-definition.ts';
import type { Context } from './context.ts';
import { ColonyError, InvalidError } from './errors.ts';
import { find } from './get.ts';
import { DEFAULT_NAMESPACE, type Target, targetOf } from './target.ts';

/** A manifest that may be sent. */
export interface Checked {
  readonly known: KnownKind;
  readonly target: Target;
  /** As it was written, in its place; without a spec, the one in force stays. */
  readonly manifest: Manifest;
  /** The spec with its defaults. */
  readonly spec: JsonObject | undefined;
  readonly warnings: readonly string[];
}

/**
 * Checks a manifest at the door by the same schemas that the workflow will admit it by, so that bad input costs no history.
 *
 * `known` is given when the caller has said the kind. Throws InvalidError with every problem, UnknownKindError.
 */
export async function check(context: Context, input: unknown, given?: KnownKind): Promise<Checked> {
  if (isDefinition(input) && (!given || given.names.kind === 'ResourceDefinition'))
    return checkDefinition(context, input, subjectOf(input));
  const checked = checkManifest(input);
  if ('issues' in checked) {
    throw new InvalidError([...checked.issues, ...(await specIssues(context, checked.judgeable, given))], subjectOf(input));
  }
  const { manifest } = checked;
  const known = given ?? (await context.registry.of(manifest.apiVersion, manifest.kind, { orphaned: false }));
  return { ...(await fit(context, manifest, known)), warnings: scopeWarnings(manifest, known) };
}

async function fit(context: Context, manifest: Manifest, known: KnownKind): Promise<Omit<Checked, 'warnings'>> {
  const { namespace = DEFAULT_NAMESPACE, ...metadata } = manifest.metadata;
  const placed = known.kind.scope === 'Namespaced' ? { ...metadata, namespace } : metadata;
  const target = targetOf(known.kind, placed);
  const checked = checkWith(known.kind.spec, manifest.spec ?? {}, 'spec');
  if (!('issues' in checked)) {
    const spec = manifest.spec ? (checked.value as JsonObject) : undefined;
    return { known, target, manifest: { ...manifest, metadata: placed }, spec };
  }
  const changed = known.builtIn ? undefined : await context.registry.reread(known);
  if (changed && !('issues' in checkWith(changed.kind.spec, manifest.spec ?? {}, 'spec'))) return fit(context, manifest, changed);
  if (!manifest.spec && (await find(context.session, context.reader, target))) {
    return { known, target, manifest: { ...manifest, metadata: placed }, spec: undefined };
  }
  throw new InvalidError(latest(changed, manifest) ?? checked.issues, target.subject);
}

/** What is wrong with the spec of a manifest that is refused anyhow. Of a kind that cannot be found nothing is said: the refusal stands. */
async function specIssues(context: Context, judgeable: Judgeable | undefined, given: KnownKind | undefined): Promise<readonly Issue[]> {
  if (!judgeable) return [];
  try {
    const known = given ?? (await context.registry.of(judgeable.apiVersion, judgeable.kind, { orphaned: false }));
    const checked = checkWith(known.kind.spec, judgeable.spec, 'spec');
    if (!('issues' in checked) || known.builtIn) return 'issues' in checked ? checked.issues : [];
    return latest(await context.registry.reread(known), judgeable) ?? [];
  } catch (error) {
    if (error instanceof ColonyError) return [];
    throw error;
  }
}

function latest(changed: KnownKind | undefined, { spec }: Pick<Manifest, 'spec'>): readonly Issue[] | undefined {
  const checked = changed && checkWith(changed.kind.spec, spec ?? {}, 'spec');
  return checked && 'issues' in checked ? checked.issues : undefined;
}

function scopeWarnings({ metadata }: Manifest, { kind, names }: KnownKind): string[] {
  return metadata.namespace && kind.scope === 'Cluster' ? [`metadata.namespace: ${names.kind} holds for all namespaces; left out`] : [];
}

/** How a manifest that may not even be one is named. */
function subjectOf(input: unknown): string {
  const { kind, metadata } = (typeof input === 'object' && input !== null ? input : {}) as {
    kind?: unknown;
    metadata?: { name?: unknown };
  };
  const words = [kind, metadata?.name].filter((word) => typeof word === 'string' && word !== '' && word.length < 100);
  return words.length > 0 ? words.join(' ') : 'the manifest';
}
