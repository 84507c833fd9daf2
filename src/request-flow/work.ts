import { ask, isHopeless, isRefused } from './ask.ts';
import type { Request } from './batch.ts';
import { isClaimable } from './claimable.ts';
import { short } from './direct.ts';
import { follow, type RequestEvent, type Requests } from './follow.ts';
import { type Assignment, Lease } from './lease.ts';
import type { Say } from './say.ts';

/** Does one job; a failure is reported as FAILED. The signal aborts when the claim is lost. */
export type Perform = (task: Task, signal: AbortSignal) => Promise<void>;

export interface Task extends Assignment {
  readonly name: string;
  readonly requestUid: string;
}

export interface WorkerOptions {
  readonly requests: Requests;
  readonly namespace: string;
  /** Under which it holds claims; of two living workers each needs its own. */
  readonly name: string;
  /** The jobs it takes; absent: all. */
  readonly jobs?: readonly string[];
  readonly leaseMs: number;
  /** How many jobs at once. */
  readonly parallel: number;
  readonly perform: Perform;
  readonly say: Say;
  /** Takes no new jobs any more; what it has begun is finished. */
  readonly signal: AbortSignal;
}

/** Takes jobs as they come, until the signal aborts. */
export async function work(options: WorkerOptions): Promise<void> {
  const { requests, namespace, signal, say } = options;
  const bench = new Bench(options);
  await follow(requests, { namespace, signal }, (event) => bench.see(event), say);
  await bench.idle();
}

class Bench {
  /** What could be taken, as last seen. */
  readonly #offers = new Map<string, Request>();
  readonly #busy = new Map<string, Promise<void>>();
  /** Up to which version this worker knows better than the watch, because it wrote that itself. */
  readonly #written = new Map<string, number>();

  constructor(private readonly options: WorkerOptions) {}

  see({ type, resource }: RequestEvent): void {
    const { name, resourceVersion } = resource.metadata;
    const { jobs } = this.options;
    const isOld = Number(resourceVersion) <= (this.#written.get(name) ?? 0);
    if (isOld) return;
    const isForUs = type !== 'DELETED' && (jobs?.includes(resource.spec.job) ?? true);
    if (isForUs && isClaimable(resource.spec, resource.status, this.options.name)) this.#offers.set(name, resource);
    else this.#offers.delete(name);
    if (type === 'DELETED') this.#written.delete(name);
    this.#fill();
  }

  /** Comes back when everything that was begun is finished. */
  async idle(): Promise<void> {
    await Promise.all(this.#busy.values());
  }

  #fill(): void {
    const { signal, parallel } = this.options;
    while (!signal.aborted && this.#busy.size < parallel) {
      const free = [...this.#offers.keys()].filter((name) => !this.#busy.has(name));
      // At random, so that two workers seldom reach for the same one.
      const name = free[Math.floor(Math.random() * free.length)];
      const request = name === undefined ? undefined : this.#offers.get(name);
      if (name === undefined || !request) return;
      this.#offers.delete(name);
      const done = this.#serve(name, request).finally(() => {
        this.#busy.delete(name);
        this.#fill();
      });
      this.#busy.set(name, done);
    }
  }

  async #serve(name: string, request: Request): Promise<void> {
    const { requests, namespace, leaseMs, say, signal } = this.options;
    const bid = { worker: this.options.name, job: request.spec.job, leaseMs };
    let lease: Lease;
    try {
      lease = await Lease.take(requests, { name, namespace }, bid, signal);
    } catch (error) {
      if (isHopeless(error) || !(isRefused(error) || signal.aborted))
        say(`${short(name)} could not be claimed: ${(error as Error).message}`);
      return; // refused otherwise: somebody else was faster, and what became of it comes by the watch
    }
    const { job, attempt } = lease.assignment;
    say(`${short(name)} ${job} STARTED (attempt ${attempt})`);
    const state = await this.#perform({ name, requestUid: request.spec['request-uid'], job, attempt }, lease);
    await lease.end();
    if (lease.lost.aborted) say(`${short(name)} ${job} given up (attempt ${attempt}): ${lease.lost.reason}`);
    else await this.#report(name, job, state);
  }

  async #perform(task: Task, lease: Lease): Promise<'COMPLETED' | 'FAILED'> {
    try {
      await this.options.perform(task, lease.lost);
      return 'COMPLETED';
    } catch (error) {
      if (!lease.lost.aborted) this.options.say(`${short(task.name)} ${task.job} failed: ${(error as Error).message}`);
      return 'FAILED';
    }
  }

  async #report(name: string, job: string, state: 'COMPLETED' | 'FAILED'): Promise<void> {
    const { requests, namespace, leaseMs, say } = this.options;
    const move = { state, worker: this.options.name };
    try {
      const { resourceVersion } = await ask(() => requests.command({ name, namespace }, 'move', move), AbortSignal.timeout(leaseMs));
      this.#written.set(name, Number(resourceVersion));
      const offer = this.#offers.get(name);
      if (offer && Number(offer.metadata.resourceVersion) <= Number(resourceVersion)) this.#offers.delete(name);
      say(`${short(name)} ${job} ${state}`);
    } catch (error) {
      say(`${short(name)} ${job} is done, but nobody knows: ${(error as Error).message}`);
    }
  }
}
