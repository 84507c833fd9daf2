import type { Resource } from '../../definitions/core/resource.ts';
import type { Row } from './row.ts';

/** The object in the memo, if it is whole and in force. */
export function publishedOf(row: Row): Resource | undefined {
  const { memo } = row;
  return memo && !memo.partial && memo.spec && Number(memo.meta.resourceVersion) === row.version ? memoObject(row) : undefined;
}

/** The object in the memo, even if a newer one is in force; undefined when there is none or it is not whole. */
export function memoObject({ kind, memo }: Row): Resource | undefined {
  if (!memo?.spec) return undefined;
  return { apiVersion: memo.apiVersion, kind, metadata: memo.meta, spec: memo.spec, ...(memo.status ? { status: memo.status } : {}) };
}

/** By namespace, name and then kind. */
export function sorted(resources: readonly Resource[]): Resource[] {
  const keyed = resources.map((resource) => ({
    resource,
    key: [resource.metadata.namespace ?? '', resource.metadata.name, resource.kind].join('\0'),
  }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ resource }) => resource);
}
