import type { JsonObject } from '../../definitions/core/resource.ts';
import type { Ref } from '../client/api.ts';
import { pause } from '../client/pause.ts';
import { ask, isRefused } from './ask.ts';
import type { Requests } from './follow.ts';

/** What a worker holds: one attempt at one job. */
export interface Assignment {
  readonly job: string;
  readonly attempt: number;
}

/** Who wants which job, and for how long without a sign of life. */
export interface Bid {
  readonly worker: string;
  /** As it was seen: by now the request may be at another. */
  readonly job: string;
  readonly leaseMs: number;
}

/**
 * A worker's exclusive right to a job, renewed until it is given up.
 *
 * Guarantees: `lost` aborts as soon as the right is known to be gone (refused, or not renewed in time), so that nobody works on
 * what another may have taken over.
 */
export class Lease {
  readonly lost: AbortSignal;
  readonly #end = new AbortController();
  readonly #lost = new AbortController();
  readonly #renewing: Promise<void>;
  #expiresAt: number;

  private constructor(
    readonly assignment: Assignment,
    expiresAt: number,
    private readonly claim: (signal: AbortSignal) => Promise<Claimed>,
    private readonly leaseMs: number,
  ) {
    this.lost = this.#lost.signal;
    this.#expiresAt = expiresAt;
    this.#renewing = this.#renew();
  }

  /** Takes that job and no other, or fails with the refusal. */
  static async take(requests: Requests, ref: Ref, { worker, job, leaseMs }: Bid, signal: AbortSignal): Promise<Lease> {
    const claim = async (until: AbortSignal): Promise<Claimed> => {
      const asked = Date.now();
      const args: JsonObject = { worker, job, leaseSeconds: leaseMs / 1000 };
      const { answer } = await ask(() => requests.command(ref, 'claim', args), until);
      // Counted from before the question, on this machine's clock: never longer than the one who granted it thinks.
      return { ...(answer as Assignment), until: asked + leaseMs };
    };
    const { until, ...assignment } = await claim(signal);
    return new Lease(assignment, until, claim, leaseMs);
  }

  /** Stops renewing; comes back when no renewal is under way any more. */
  async end(): Promise<void> {
    this.#end.abort();
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    while (!this.#end.signal.aborted) {
      await pause(this.leaseMs / 3, { signal: this.#end.signal });
      if (this.#end.signal.aborted) return;
      const tooLate = AbortSignal.any([this.#end.signal, AbortSignal.timeout(Math.max(1, this.#expiresAt - Date.now()))]);
      try {
        const { job, attempt, until } = await Promise.race([this.claim(tooLate), aborted(tooLate)]);
        this.#expiresAt = until;
        const isSame = job === this.assignment.job && attempt === this.assignment.attempt;
        if (!isSame) return this.#lost.abort(`${job} was begun anew as attempt ${attempt}`);
      } catch (error) {
        if (this.#end.signal.aborted) return;
        return this.#lost.abort(isRefused(error) ? error.message : 'it could not be renewed in time');
      }
    }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

interface Claimed extends Assignment {
  readonly until: number;
}
