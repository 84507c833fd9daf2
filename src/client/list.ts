import type { Resource } from '../../definitions/core/resource.ts';
import { inParallel } from './in-parallel.ts';
import { sorted } from './published.ts';
import { existing, type Scope } from './queries.ts';
import type { Reader } from './read.ts';
import { newestRows } from './row.ts';
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
