import type { Resource } from '../../definitions/core/resource.ts';
import { inParallel } from './in-parallel.ts';
import { existing, type Scope } from './queries.ts';
import type { Reader } from './read.ts';
import type { Row } from './rows.ts';
import type { Selector } from './selector.ts';
import type { Session } from './session.ts';
import { rows } from './visibility.ts';

const QUERIES_AT_ONCE = 16;

/**
 * Lists by Temporal's index, sorted by namespace and name; each object is the one in force, read from its workflow where the
 * index holds an older one.
 *
 * Caveat: a resource that was created or deleted some milliseconds ago may be missing or still there.
 */
export async function list(session: Session, reader: Reader, scope: Scope, picks: Selector): Promise<Resource[]> {
  const newest = newestRows(await rows(session, existing(scope)));
  const found = await inParallel(newest, QUERIES_AT_ONCE, (row) => reader.complete(row));
  return sorted(found.filter((resource) => resource !== undefined && picks(resource.metadata.labels)) as Resource[]);
}

/** One row for each resource, although a rollover may show two; rows of workflows that hold no resource are left out. */
export function newestRows(all: readonly Row[]): Row[] {
  const byId = new Map<string, Row>();
  for (const row of all) {
    if (row.version === undefined) continue;
    const other = byId.get(row.workflowId);
    if (!other || row.version > (other.version ?? 0) || (row.version === other.version && row.startedAt > other.startedAt))
      byId.set(row.workflowId, row);
  }
  return [...byId.values()];
}

/** By namespace, name and then kind. */
export function sorted(resources: readonly Resource[]): Resource[] {
  const keyed = resources.map((resource) => ({
    resource,
    key: [resource.metadata.namespace ?? '', resource.metadata.name, resource.kind].join('\0'),
  }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ resource }) => resource);
}
