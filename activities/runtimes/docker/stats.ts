import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from '../runtime.ts';
import type { Engine } from './engine.ts';
import { isStatus, unexpected } from './errors.ts';
import { inParallel } from './in-parallel.ts';

/** What the engine tells of one moment. */
export interface Sample {
  readonly read: string;
  readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } };
  readonly memory_stats?: { readonly usage?: number; readonly limit?: number; readonly stats?: Readonly<Record<string, number>> };
  readonly pids_stats?: { readonly current?: number };
}

const AT_ONCE = 8;
/** Between the two looks that make a rate. */
const APART_MS = 300;
const MAX_AGE_MS = 60_000;

/**
 * Measures containers. The engine's own rate takes two seconds per container; here the last look of the caller counts as the first,
 * and only without one there is a short wait. Those that are gone or do not run are left out.
 */
export class Stats {
  readonly #last = new Map<string, Sample>();

  constructor(readonly engine: Engine) {}

  async of(ids: readonly string[]): Promise<readonly Usage[]> {
    const fresh = ids.filter((id) => !isRecent(this.#last.get(id)));
    if (fresh.length > 0) {
      await inParallel(fresh, AT_ONCE, (id) => this.#look(id));
      await sleep(APART_MS);
    }
    const usages = await inParallel(ids, AT_ONCE, async (id) => {
      const before = this.#last.get(id);
      const now = await this.#look(id);
      return before && now ? usageOf(id, before, now) : undefined;
    });
    for (const [id, sample] of this.#last) if (!isRecent(sample)) this.#last.delete(id);
    return usages.filter((usage) => usage !== undefined);
  }

  async #look(id: string): Promise<Sample | undefined> {
    try {
      const path = `/containers/${encodeURIComponent(id)}/stats`;
      const sample = await this.engine.call<Sample>('GET', path, { query: { stream: false, 'one-shot': true } });
      // A stopped container answers with zeros.
      if (sample?.memory_stats?.usage === undefined) return undefined;
      this.#last.set(id, sample);
      return sample;
    } catch (error) {
      if (isStatus(error, 404, 409)) return undefined;
      throw unexpected(error);
    }
  }
}

/** The use between two looks. */
export function usageOf(id: string, before: Sample, now: Sample): Usage {
  const nanos = (Date.parse(now.read) - Date.parse(before.read)) * 1e6;
  const used = (now.cpu_stats?.cpu_usage?.total_usage ?? 0) - (before.cpu_stats?.cpu_usage?.total_usage ?? 0);
  const { usage = 0, limit, stats = {} } = now.memory_stats ?? {};
  // As `docker stats`: without files that are only kept in memory because there is room.
  const cache = stats.total_inactive_file ?? stats.inactive_file ?? 0;
  const pids = now.pids_stats?.current;
  return {
    id,
    cpus: nanos > 0 ? Math.max(0, Math.round((used / nanos) * 1000) / 1000) : 0,
    memoryBytes: Math.max(0, usage - cache),
    ...(limit !== undefined && { memoryLimitBytes: limit }),
    ...(pids !== undefined && { pids }),
  };
}

const isRecent = (sample: Sample | undefined): boolean => sample !== undefined && Date.now() - Date.parse(sample.read) < MAX_AGE_MS;
