import { annotations } from './annotations.ts';
import type { ManifestMetadata, Metadata } from './resource.ts';

/**
 * The annotations of a resource after an apply: given ones replace the stored ones whole, without any the stored ones stay.
 *
 * What a command wrote stays until somebody names it: a manifest that says nothing of `paused` did not mean to resume. Who says which
 * version it changes has seen them all, so what that leaves out goes. An owner adds to what people noted on its child; people cannot
 * cut the line between the two, a child without owner has none.
 */
export function notedAfter(
  { annotations: given, ownerReferences, resourceVersion }: ManifestMetadata,
  stored: Pick<Metadata, 'annotations' | 'ownerReferences'>,
  byOwner = false,
): Metadata['annotations'] {
  const isOwned = (ownerReferences ?? stored.ownerReferences).some(({ controller }) => controller);
  const { [annotations.owner]: owner, [annotations.tells]: tells, ...others } = stored.annotations;
  const line = { ...(owner ? { [annotations.owner]: owner } : {}), ...(tells ? { [annotations.tells]: tells } : {}) };
  if (byOwner) return { ...others, ...given };
  const { [annotations.paused]: paused } = stored.annotations;
  const commanded = paused !== undefined && resourceVersion === undefined ? { [annotations.paused]: paused } : {};
  if (isOwned) return given ? { ...commanded, ...given, ...line } : stored.annotations;
  const { [annotations.owner]: _owner, [annotations.tells]: _tells, ...free } = given ? { ...commanded, ...given } : others;
  return free;
}
