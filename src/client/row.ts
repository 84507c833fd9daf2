import type { temporal } from '@temporalio/proto';
import { type Identity, identityOf } from '../../definitions/core/identity.ts';
import type { JsonObject, Metadata, Status } from '../../definitions/core/resource.ts';

/** What Temporal's index and a describe say about one run of a resource's workflow. */
export interface Row {
  readonly workflowId: string;
  readonly runId: string;
  readonly identity: Identity;
  readonly kind: string;
  readonly open: boolean;
  /** The resource was deleted. Other ends (terminated by a reset, handed over to the next run) say nothing for sure. */
  readonly completed: boolean;
  /** Server times, ms. */
  readonly startedAt: number;
  readonly closedAt?: number;
  readonly changedAt?: number;
  /** ColonyVersion: the resourceVersion in force; absent until a spec was accepted. */
  readonly version?: number;
  readonly phase?: string;
  readonly ready?: string;
  readonly labels: readonly string[];
  /** The object as last published; may be older than `version`. */
  readonly memo?: Memo;
}

export interface Memo {
  readonly apiVersion: string;
  readonly meta: Metadata;
  readonly spec?: JsonObject | null;
  readonly status?: Status | null;
  /** Spec and status were too large to be here. */
  readonly partial?: boolean;
}

type RawRow = temporal.api.workflow.v1.IWorkflowExecutionInfo;
type Payloads = { [key: string]: { data?: Uint8Array | null } } | null | undefined;
type Timestamp = { seconds?: unknown; nanos?: number | null } | null | undefined;

const RUNNING = 1;
const COMPLETED = 2;
const PAUSED = 8;

/** Decodes a raw row; undefined when its id is not that of a resource. */
export function rowOf(raw: RawRow): Row | undefined {
  return rowFrom({
    workflowId: raw.execution?.workflowId ?? '',
    runId: raw.execution?.runId ?? '',
    kind: raw.type?.name ?? '',
    status: raw.status ?? 0,
    startedAt: msOf(raw.startTime) ?? 0,
    closedAt: msOf(raw.closeTime),
    index: decode(raw.searchAttributes?.indexedFields),
    memo: decode(raw.memo?.fields),
  });
}

/** A row whose payloads are decoded. */
export interface Facts {
  readonly workflowId: string;
  readonly runId: string;
  readonly kind: string;
  /** Of temporal.api.enums.v1.WorkflowExecutionStatus. */
  readonly status: number;
  readonly startedAt: number;
  readonly closedAt: number | undefined;
  readonly index: Readonly<Record<string, unknown>>;
  readonly memo: Readonly<Record<string, unknown>>;
}

/** Reads what is known of a run; undefined when its id is not that of a resource. */
export function rowFrom({ workflowId, runId, kind, status, startedAt, closedAt, index, memo }: Facts): Row | undefined {
  const identity = identityOf(workflowId);
  if (!identity) return undefined;
  return {
    workflowId,
    runId,
    identity,
    kind,
    open: status === RUNNING || status === PAUSED,
    completed: status === COMPLETED,
    startedAt,
    ...optional('closedAt', closedAt),
    ...optional('changedAt', typeof index.ColonyChangedAt === 'string' ? Date.parse(index.ColonyChangedAt) : undefined),
    ...optional('version', typeof index.ColonyVersion === 'number' ? index.ColonyVersion : undefined),
    ...optional('phase', text(index.ColonyPhase)),
    ...optional('ready', text(index.ColonyReady)),
    labels: Array.isArray(index.ColonyLabels) ? (index.ColonyLabels as string[]) : [],
    ...optional('memo', memoOf(memo)),
  };
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

function memoOf(memo: Facts['memo']): Memo | undefined {
  const meta = memo.meta as Metadata | undefined;
  return typeof memo.apiVersion === 'string' && typeof meta?.resourceVersion === 'string' ? (memo as unknown as Memo) : undefined;
}

function decode(fields: Payloads): Record<string, unknown> {
  const decoded: Record<string, unknown> = {};
  for (const [key, payload] of Object.entries(fields ?? {})) {
    try {
      const { buffer, byteOffset, byteLength } = payload.data!;
      decoded[key] = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
    } catch {
      // Not JSON, so not written by colony.
    }
  }
  return decoded;
}

function msOf(timestamp: Timestamp): number | undefined {
  return timestamp ? Number(timestamp.seconds ?? 0) * 1000 + Math.floor((timestamp.nanos ?? 0) / 1_000_000) : undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** For fields that may be absent but not undefined. */
function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: V });
}
