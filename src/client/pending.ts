import type { temporal } from '@temporalio/proto';
import type { PendingWork } from './api.ts';
import { asColonyError, isAbsent } from './failures.ts';
import type { Session } from './session.ts';
import type { Target } from './target.ts';

type RawPending = temporal.api.workflow.v1.IPendingActivityInfo;
type RawPayload = { data?: Uint8Array | null } | null | undefined;

const SCHEDULED = 1;
const CANCEL_REQUESTED = 3;
/** How many of the newest events are searched for what a flight was started for. */
const EVENTS = 100;

/** Reads what a resource has in the air; remembers what each flight is for, so that following one costs a single call a look. */
export class PendingReader {
  readonly #summaries = new Map<string, string | undefined>();

  constructor(private readonly session: Session) {}

  /** By the order in which the flights were started. Empty when there is no such resource. Throws ColonyError. */
  async read({ workflowId, subject }: Target): Promise<readonly PendingWork[]> {
    try {
      const { pendingActivities, workflowExecutionInfo } = await this.#call(() =>
        this.session.service.describeWorkflowExecution({ namespace: this.session.temporalNamespace, execution: { workflowId } }),
      );
      const raw = [...(pendingActivities ?? [])].sort((a, b) => Number(a.activityId) - Number(b.activityId));
      const runId = workflowExecutionInfo?.execution?.runId ?? '';
      const keyOf = ({ activityId }: RawPending): string => `${runId}/${activityId}`;
      if (raw.some((one) => !this.#summaries.has(keyOf(one)))) await this.#learn(workflowId, runId, raw.map(keyOf));
      return raw.map((one) => pendingWork(one, this.#summaries.get(keyOf(one))));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw asColonyError(error, subject);
    }
  }

  /** Only the event of its start says what a flight is for. Of flights that began long ago it is no longer looked for. */
  async #learn(workflowId: string, runId: string, keys: readonly string[]): Promise<void> {
    const { history } = await this.#call(() =>
      this.session.service.getWorkflowExecutionHistoryReverse({
        namespace: this.session.temporalNamespace,
        execution: { workflowId, runId },
        maximumPageSize: EVENTS,
      }),
    );
    for (const { activityTaskScheduledEventAttributes: started, userMetadata } of history?.events ?? []) {
      const summary = started ? decoded(userMetadata?.summary) : undefined;
      if (typeof summary === 'string') this.#summaries.set(`${runId}/${started?.activityId}`, summary);
    }
    for (const key of keys) if (!this.#summaries.has(key)) this.#summaries.set(key, undefined);
  }

  #call<T>(call: () => Promise<T>): Promise<T> {
    return this.session.within(Date.now() + this.session.timeoutMs, call);
  }
}

/** What Temporal says of one activity, in our words. */
export function pendingWork(raw: RawPending, summary: string | undefined): PendingWork {
  const queue = raw.activityOptions?.taskQueue?.name;
  const failure = raw.lastFailure?.message;
  const { doing, done, total } = (decoded(raw.heartbeatDetails?.payloads?.[0]) ?? {}) as Record<string, unknown>;
  const scheduledMs = Number(raw.scheduledTime?.seconds ?? 0) * 1000;
  return {
    activity: raw.activityType?.name ?? '',
    state: raw.state === SCHEDULED ? 'waiting' : raw.state === CANCEL_REQUESTED ? 'cancelling' : 'running',
    attempt: raw.attempt || 1,
    ...(summary === undefined ? {} : { summary }),
    ...(queue ? { queue } : {}),
    ...(failure ? { failure } : {}),
    ...(scheduledMs > 0 ? { retryAt: new Date(scheduledMs).toISOString() } : {}),
    ...(typeof doing === 'string' ? { doing } : {}),
    ...(typeof done === 'number' && typeof total === 'number' ? { done, total } : {}),
  };
}

function decoded(payload: RawPayload): unknown {
  try {
    return JSON.parse(Buffer.from(payload?.data ?? []).toString('utf8'));
  } catch {
    return undefined; // not JSON, so not written by colony
  }
}
