import { ONE_QUERY_MS } from '../../activities/resources/ask.ts';
import type { Condition, Resource } from '../../definitions/core/resource.ts';
import { asColonyError, isAbsent, isLate, isUndecided } from './failures.ts';
import { memoObject, publishedOf } from './published.ts';
import type { Row } from './row.ts';
import type { Session } from './session.ts';

/** When so many queries in a row were not answered, nobody is asked for a while. */
const MISSES = 3;
const SILENCE_MS = 3_000;

/** Reads whole resources: from a row when it is up to date, else from the workflow itself. */
export class Reader {
  #misses = 0;
  #missedAt = 0;

  constructor(private readonly session: Session) {}

  /** The resource as its workflow holds it now; undefined when no spec was ever accepted; `silent` when no worker answers. */
  async ask(workflowId: string): Promise<Resource | undefined | 'silent'> {
    if (this.#misses >= MISSES && Date.now() < this.#missedAt + SILENCE_MS) return 'silent';
    try {
      const answer = await query<Resource | null>(this.session, workflowId, 'resource', ONE_QUERY_MS);
      this.#misses = 0;
      return answer ?? undefined;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      if (!isLate(error) && !isUndecided(error)) throw asColonyError(error, workflowId);
      this.#misses += 1;
      this.#missedAt = Date.now();
      return 'silent';
    }
  }

  /** The row's resource, completed by its workflow; when no worker answers, what the index knows. */
  async complete(row: Row): Promise<Resource | undefined> {
    const published = publishedOf(row);
    if (published) return published;
    const answer = await this.ask(row.workflowId);
    return answer === 'silent' ? fromIndex(row) : answer;
  }
}

/** Asks a workflow. Throws what Temporal answered. */
export function query<T>(session: Session, workflowId: string, name: string, timeoutMs: number): Promise<T> {
  return askRepeatedly(session, timeoutMs, () => session.workflows.getHandle(workflowId).query<T>(name));
}

/** Makes a call that the server answers by a query, again and again until the time is over. Throws what Temporal answered. */
export async function askRepeatedly<T>(session: Session, timeoutMs: number, call: () => Promise<T>): Promise<T> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await session.within(Math.min(until, Date.now() + ONE_QUERY_MS), call);
    } catch (error) {
      if (!isLate(error) || Date.now() >= until) throw error;
    }
  }
}

/** What can be said of a resource while no worker answers: the last published object, or its outline. */
export function fromIndex(row: Row): Resource | undefined {
  const known = memoObject(row);
  if (row.version === undefined) return known;
  if (known) return Number(known.metadata.resourceVersion) >= row.version ? known : outdated(known, row);
  const { identity, memo, runId, kind, phase } = row;
  const outline = {
    name: identity.name,
    ...(identity.namespace === undefined ? {} : { namespace: identity.namespace }),
    uid: runId,
    resourceVersion: String(row.version),
    generation: 1,
    creationTimestamp: new Date(row.startedAt).toISOString(),
    labels: Object.fromEntries(row.labels.map((label) => split(label))),
    annotations: {},
    ownerReferences: [],
    finalizers: [],
  };
  return {
    apiVersion: memo?.apiVersion ?? `${identity.group}/unknown`,
    kind,
    metadata: memo?.meta ?? outline,
    spec: {},
    status: { ...(phase ? { phase } : {}), conditions: [readyBy(row, 'no worker answers, so only an outline of the resource is known')] },
  };
}

/** An object that is known to have changed since it was published: what the index says of its readiness is newer than its own word. */
function outdated(known: Resource, row: Row): Resource {
  const ready = readyBy(row, 'no worker answers, so only what was published last is known');
  const others = (known.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
  return { ...known, status: { ...known.status, ...(row.phase ? { phase: row.phase } : {}), conditions: [ready, ...others] } };
}

function readyBy({ ready, changedAt, startedAt }: Row, message: string): Condition {
  return {
    type: 'Ready',
    status: ready === 'True' || ready === 'False' ? ready : 'Unknown',
    reason: 'NoWorker',
    message,
    lastTransitionTime: new Date(changedAt ?? startedAt).toISOString(),
    observedGeneration: 0,
  };
}

function split(label: string): [string, string] {
  const at = label.indexOf('=');
  return [label.slice(0, at), label.slice(at + 1)];
}
