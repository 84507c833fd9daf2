import { asColonyError, isTooLarge } from './failures.ts';
import { type Row, rowOf } from './row.ts';
import type { Session } from './session.ts';

const PAGE_SIZE = 1_000;

/**
 * Rows of Temporal's index, page by page. Eventually consistent: during a rollover a resource may have two rows or none.
 *
 * Guarantees: a page that does not fit into one message is asked for again in smaller ones.
 */
export async function* pages(session: Session, query: string, pageSize = PAGE_SIZE): AsyncGenerator<readonly Row[]> {
  let nextPageToken: Uint8Array = new Uint8Array();
  let size = pageSize;
  for (;;) {
    try {
      const page = await session.within(Date.now() + session.timeoutMs, () =>
        session.service.listWorkflowExecutions({ namespace: session.temporalNamespace, query, nextPageToken, pageSize: size }),
      );
      yield page.executions.map(rowOf).filter((row) => row !== undefined);
      nextPageToken = page.nextPageToken;
      if (nextPageToken.length === 0) return;
    } catch (error) {
      if (!isTooLarge(error) || size === 1) throw asColonyError(error, 'the list of resources');
      size = Math.ceil(size / 4);
    }
  }
}

/** All rows of a query, or the first page or so that hold `enough`. */
export async function rows(session: Session, query: string, pageSize?: number, enough = Number.POSITIVE_INFINITY): Promise<Row[]> {
  const all: Row[] = [];
  for await (const page of pages(session, query, pageSize)) {
    all.push(...page);
    if (all.length >= enough) break;
  }
  return all;
}

/** How many rows a query has, by the index. */
export async function count(session: Session, query: string): Promise<number> {
  try {
    const answer = await session.within(Date.now() + session.timeoutMs, () =>
      session.service.countWorkflowExecutions({ namespace: session.temporalNamespace, query }),
    );
    return Number(answer.count);
  } catch (error) {
    throw asColonyError(error, 'the number of resources');
  }
}
