import type { Resource } from '../../definitions/core/resource.ts';
import { describeRow } from './describe-row.ts';
import { NotFoundError } from './errors.ts';
import { asColonyError } from './failures.ts';
import type { Reader } from './read.ts';
import type { Session } from './session.ts';
import type { Target } from './target.ts';

/**
 * Reads one resource; strongly consistent with every write that was answered.
 *
 * While no worker answers it is what was last published. Throws NotFoundError.
 */
export async function get(session: Session, reader: Reader, target: Target): Promise<Resource> {
  const found = await find(session, reader, target);
  if (!found) throw new NotFoundError(`${target.subject} does not exist`);
  return found;
}

/** As `get`, but undefined when there is none. */
export async function find(session: Session, reader: Reader, { workflowId, subject }: Target): Promise<Resource | undefined> {
  try {
    const row = await describeRow(session, workflowId);
    return row?.open ? await reader.complete(row) : undefined;
  } catch (error) {
    throw asColonyError(error, subject);
  }
}
