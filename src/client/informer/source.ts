import type { Resource } from '../../../definitions/core/resource.ts';
import { describeRow } from '../describe-row.ts';
import { publishedOf } from '../published.ts';
import { changedSince, endedSince, existing, type Scope, startedSince } from '../queries.ts';
import type { Reader } from '../read.ts';
import type { Row } from '../row.ts';
import type { Session } from '../session.ts';
import { pages, rows } from '../visibility.ts';

/** Where an informer reads; a port, so that its order of events can be tested without a server. */
export interface Source {
  /** All that exist, page by page. */
  existing(): AsyncIterable<readonly Row[]>;
  /** Those that exist and changed since, or whose run began since, and those that ended since; all that exist when no time is known yet. */
  changed(sinceMs: number | undefined): Promise<readonly Row[]>;
  started(sinceMs: number): Promise<readonly Row[]>;
  ended(sinceMs: number | undefined): Promise<readonly Row[]>;
  /** The truth about one id; undefined when it is gone. */
  describe(workflowId: string): Promise<Row | undefined>;
  /** The resource in force behind a row; undefined when there is none; `silent` when no worker answers. */
  resource(row: Row): Promise<Resource | undefined | 'silent'>;
}

/** The informer's source over Temporal's index. */
export function temporalSource(session: Session, reader: Reader, scope: Scope): Source {
  return {
    existing: () => pages(session, existing(scope)),
    changed: (sinceMs) => rows(session, sinceMs === undefined ? existing(scope) : changedSince(scope, sinceMs)),
    started: (sinceMs) => rows(session, startedSince(scope, sinceMs)),
    ended: async (sinceMs) => (sinceMs === undefined ? [] : rows(session, endedSince(scope, sinceMs))),
    describe: async (workflowId) => {
      const row = await describeRow(session, workflowId);
      return row?.open ? row : undefined;
    },
    resource: async (row) => publishedOf(row) ?? reader.ask(row.workflowId),
  };
}
