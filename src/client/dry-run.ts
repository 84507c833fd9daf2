import { CLEAN_UP, annotations as known } from '../../definitions/core/annotations.ts';
import { isSame } from '../../definitions/core/diff.ts';
import { notedAfter } from '../../definitions/core/noted-after.ts';
import type { JsonObject, Manifest, ManifestMetadata, Resource } from '../../definitions/core/resource.ts';
import type { DryRun, KnownKind } from './api.ts';
import { type Checked, check } from './check.ts';
import type { Context } from './context.ts';
import { ConflictError, DeletingError, InvalidError } from './errors.ts';
import { refused } from './failures.ts';
import { find } from './get.ts';
import { viewOf } from './view-of.ts';

/** Says what an apply would do. Guarantees: sends nothing; refuses what the write would be refused for, as far as a reader can know. */
export async function dryRun(context: Context, input: unknown, given?: KnownKind): Promise<DryRun> {
  const checked = await check(context, input, given);
  const { manifest, target, warnings } = checked;
  const before = await find(context.session, context.reader, target);
  const spec = checked.spec ?? before?.spec ?? {};
  refuse(checked, spec, before);
  const after: Manifest = { ...manifest, spec, metadata: merged(manifest.metadata, before) };
  if (!before) return { operation: 'created', after, warnings };
  const isUnchanged = isSame(spec, before.spec) && isSame(sets(after.metadata), sets(before.metadata));
  return { operation: isUnchanged ? 'unchanged' : 'configured', before, after, warnings };
}

function refuse({ known: { kind }, manifest, target }: Checked, spec: JsonObject, before: Resource | undefined): void {
  const { resourceVersion, uid } = manifest.metadata;
  const stored = before?.metadata;
  if (resourceVersion !== undefined && resourceVersion !== stored?.resourceVersion) {
    throw new ConflictError(`${target.subject}: expected version ${resourceVersion}, found ${stored?.resourceVersion ?? 'none'}`);
  }
  if (uid !== undefined && uid !== stored?.uid)
    throw new ConflictError(`${target.subject}: expected uid ${uid}, found ${stored?.uid ?? 'none'}`);
  if (stored?.deletionTimestamp) throw new DeletingError(`${target.subject} is being deleted`);
  const effect = kind.admit?.(spec, before && viewOf(before), { actor: 'dry-run', now: Date.now(), name: target.identity.name });
  if (effect?.issues?.length) throw new InvalidError(effect.issues, target.subject);
  if (effect?.refuse) throw refused(effect.refuse.type, effect.refuse.message, {}, target.subject);
}

/** Given sets replace the stored ones whole; sets that are not given stay. */
function merged(given: ManifestMetadata, before: Resource | undefined): ManifestMetadata {
  if (!before) return given;
  const { labels, ownerReferences, finalizers } = before.metadata;
  const own =
    finalizers.includes(CLEAN_UP) && given.finalizers
      ? { finalizers: [...given.finalizers.filter((one) => one !== CLEAN_UP), CLEAN_UP] }
      : {};
  return { labels, ownerReferences, finalizers, ...given, ...own, annotations: notedAfter(given, before.metadata) };
}

function sets({ labels = {}, annotations = {}, ownerReferences = [], finalizers = [] }: Partial<ManifestMetadata>): JsonObject {
  const { [known.reconcile]: _, ...others } = annotations;
  return { labels, annotations: others, ownerReferences, finalizers };
}
