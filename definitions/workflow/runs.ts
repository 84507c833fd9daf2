import { allNewsOf } from '../core/children.ts';
import type { ChildNews, ChildRef } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import type { HistoryEntry, WorkflowSpec } from './schema.ts';

/** What a run tells the Workflow it is of. */
export const TOLD = ['status.startedAt', 'status.finishedAt', 'status.completedSteps', 'status.totalSteps', 'status.duration'] as const;

const DEFAULT_LIMIT = 10;
const MAX_HISTORY = 20;

/** One run as it last told. */
export interface RunNews {
  readonly news: ChildNews;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly completedSteps?: number;
  readonly totalSteps?: number;
  readonly duration?: string;
}

/** The runs there are, the newest first. */
export function runsOf(view: Pick<View, 'observed'>): readonly RunNews[] {
  return allNewsOf(view)
    .filter(({ kind, gone }) => kind === 'WorkflowRun' && !gone)
    .map((news) => {
      const told = Object.entries(news.values ?? {}).map(([path, value]) => [path.replace('status.', ''), value]);
      return { news, ...Object.fromEntries(told) } as RunNews;
    })
    .sort((a, b) => compare(timeOf(b), timeOf(a)) || compare(b.news.name, a.news.name));
}

const timeOf = ({ startedAt = '9' }: RunNews): string => startedAt;
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Finished ones that are more than the limits say, as their deletion needs them. */
export function surplusOf(
  runs: readonly RunNews[],
  { successfulRunsHistoryLimit, failedRunsHistoryLimit }: WorkflowSpec,
): readonly ChildRef[] {
  const ended = runs.filter(({ finishedAt }) => finishedAt !== undefined);
  const good = ended.filter(({ news }) => news.phase === 'Succeeded').slice(successfulRunsHistoryLimit ?? DEFAULT_LIMIT);
  const bad = ended.filter(({ news }) => news.phase !== 'Succeeded').slice(failedRunsHistoryLimit ?? DEFAULT_LIMIT);
  return [...good, ...bad].map(({ news }) => refOf(news)).sort((a, b) => compare(a.id, b.id));
}

export function refOf({ apiVersion, kind, name, uid, id }: ChildNews): ChildRef {
  const [, namespace = ''] = id.split('/');
  return { apiVersion, kind, name, uid, id, ...(namespace && namespace !== '-' ? { namespace } : {}) };
}

/**
 * The newest runs, also those that are gone; a run that tells again replaces what it told before.
 *
 * One that is gone before its end was deleted or ended from outside: like one that is terminated it did nothing more.
 */
export function historyOf({ status, observed, now }: View<WorkflowSpec>, runs: readonly RunNews[]): readonly HistoryEntry[] {
  const entries = new Map(((status?.history ?? []) as readonly HistoryEntry[]).map((entry) => [entry.runId, entry]));
  for (const { news, startedAt, finishedAt } of runs) {
    if (startedAt === undefined || news.deleting) continue;
    entries.set(news.name, { runId: news.name, startTime: startedAt, ...(finishedAt ? { endTime: finishedAt } : {}), status: news.phase });
  }
  for (const { name, gone } of allNewsOf({ observed })) {
    const entry = gone && entries.get(name);
    if (entry && entry.endTime === undefined) entries.set(name, { ...entry, endTime: new Date(now).toISOString(), status: 'Terminated' });
  }
  return [...entries.values()].sort((a, b) => compare(b.startTime, a.startTime) || compare(b.runId, a.runId)).slice(0, MAX_HISTORY);
}
