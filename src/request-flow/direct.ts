import { randomUUID } from 'node:crypto';
import { inParallel } from '../client/in-parallel.ts';
import { ask, isRefused } from './ask.ts';
import { type Batch, batchOf, flowMetadata, flowName, ownedBy, type Request, unfinished } from './batch.ts';
import { follow, type RequestEvent, type Requests } from './follow.ts';
import { Latest } from './latest.ts';
import { nextMove, type Outcome } from './next-move.ts';
import type { Say } from './say.ts';

export interface DirectorOptions {
  readonly requests: Requests;
  readonly namespace: string;
  /** Whose flows: a director touches no others, and finds its own again under this name. */
  readonly name: string;
  /** What to begin when nothing of an earlier run is unfinished. */
  readonly begin: Omit<Batch, 'id'>;
  readonly say: Say;
  readonly signal: AbortSignal;
}

export interface Summary {
  /** How each flow ended; those that did not are not in it. */
  readonly outcomes: ReadonlyMap<string, Outcome | 'DELETED'>;
  readonly open: number;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Leads flows through their jobs until all are at their end or the signal aborts. */
export async function direct(options: DirectorOptions): Promise<Summary> {
  const { requests, namespace, name, begin, say, signal } = options;
  const mine = await ask(() => requests.list({ namespace, labels: ownedBy(name) }), signal);
  const earlier = unfinished(mine, Date.now());
  const batches = earlier.length > 0 ? earlier : [{ ...begin, id: randomUUID() }];
  say(
    earlier.length > 0 ? `goes on with ${flows(earlier)} of an earlier run` : `begins ${flows(batches)} through ${begin.jobs.join(', ')}`,
  );
  const direction = new Direction(options, batches);
  const watching = follow(requests, { namespace, labels: ownedBy(name), signal: direction.stop }, (event) => direction.see(event), say);
  try {
    await Promise.all([watching, direction.create(new Set(mine.map(({ metadata }) => metadata.name)))]);
  } finally {
    direction.end();
  }
  return direction.summary;
}

class Direction {
  readonly #done = new AbortController();
  readonly #open = new Set<string>();
  readonly #outcomes = new Map<string, Outcome | 'DELETED'>();
  readonly #alarms = new Map<string, NodeJS.Timeout>();
  readonly #latest = new Latest<Request>((name, request) => this.#lead(name, request));
  /** Aborts when every flow is at its end, or nobody wants to go on. */
  readonly stop: AbortSignal;

  constructor(
    private readonly options: DirectorOptions,
    private readonly batches: readonly Batch[],
  ) {
    for (const batch of batches) for (let index = 0; index < batch.size; index++) this.#open.add(flowName(batch, index));
    this.stop = AbortSignal.any([options.signal, this.#done.signal]);
  }

  /** Creates the flows that are not there yet. */
  async create(existing: ReadonlySet<string>): Promise<void> {
    const { requests, name, namespace, say } = this.options;
    const missing = this.batches.flatMap((batch) =>
      Array.from({ length: batch.size }, (_, index) => ({ batch, metadata: flowMetadata(batch, index, name, namespace) })).filter(
        ({ metadata }) => !existing.has(metadata.name),
      ),
    );
    await inParallel(missing, 16, async ({ batch, metadata }) => {
      const [job = ''] = batch.jobs;
      const spec = { 'request-uid': metadata.name, job, state: 'REQUESTED' };
      try {
        await ask(() => requests.apply({ metadata, spec }, { only: 'create' }), this.stop);
        say(`${short(metadata.name)} ${job} REQUESTED`);
      } catch (error) {
        const isThere = (error as { code?: string }).code === 'AlreadyExists';
        if (!isThere && !this.stop.aborted) throw error;
      }
    });
  }

  see({ type, resource }: RequestEvent): void {
    const { name } = resource.metadata;
    if (type === 'DELETED') return this.#finish(name, 'DELETED');
    this.#latest.put(name, resource);
  }

  get summary(): Summary {
    return { outcomes: this.#outcomes, open: this.#open.size };
  }

  end(): void {
    this.#done.abort();
    for (const alarm of this.#alarms.values()) clearTimeout(alarm);
  }

  async #lead(name: string, request: Request): Promise<void> {
    clearTimeout(this.#alarms.get(name));
    const batch = batchOf(request);
    if (!this.#open.has(name) || !batch || this.stop.aborted) return;
    const move = nextMove({ spec: request.spec, status: request.status, jobs: batch.jobs }, { ...batch, now: Date.now() });
    if (move.type === 'done') return this.#finish(name, move.outcome);
    if (move.type === 'move') return this.#move(name, move);
    if (move.until !== undefined) {
      const ms = Math.min(LONGEST_TIMER_MS, move.until - Date.now());
      const alarm = setTimeout(() => this.#latest.put(name, request), ms);
      this.#alarms.set(name, alarm);
    }
  }

  async #move(name: string, { job, state }: { readonly job: string; readonly state: string }): Promise<void> {
    const { requests, namespace, say } = this.options;
    try {
      await ask(() => requests.command({ name, namespace }, 'move', { job, state }), this.stop);
      say(`${short(name)} ${job} ${state}`);
    } catch (error) {
      // It is no longer as it was seen; what it is now comes by the watch.
      if (!isRefused(error) && !this.stop.aborted) say(`${short(name)} ${(error as Error).message}`);
    }
  }

  #finish(name: string, outcome: Outcome | 'DELETED'): void {
    if (!this.#open.delete(name)) return;
    clearTimeout(this.#alarms.get(name));
    this.#outcomes.set(name, outcome);
    this.options.say(`${short(name)} ended: ${outcome} (${this.#open.size} to go)`);
    if (this.#open.size === 0) this.#done.abort();
  }
}

/** Names are long and random; their beginning tells them apart. */
export const short = (name: string): string => name.slice(0, 8);

function flows(batches: readonly Batch[]): string {
  const count = batches.reduce((sum, { size }) => sum + size, 0);
  return `${count} ${count === 1 ? 'flow' : 'flows'}`;
}
