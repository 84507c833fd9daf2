import { getExternalWorkflowHandle, patched, proxyLocalActivities } from '@temporalio/workflow';
import type { Tell } from '../definitions/core/decision.ts';
import { Alarm } from './alarm.ts';
import { childSignal } from './messages.ts';
import type { ResourceState } from './state.ts';

const { tellOwner } = proxyLocalActivities<{ tellOwner(tell: Pick<Tell, 'to' | 'news'>): Promise<void> }>({
  startToCloseTimeout: '3s',
  retry: { maximumAttempts: 2, initialInterval: '100ms' },
});

/** Runs from before it forgot news that the server could not bring. */
const UNTIL_HEARD = 'news-is-told-until-heard';
const FIRST_AGAIN_MS = 1_000;
const LONGEST_AGAIN_MS = 5 * 60_000;

/**
 * Brings news to the owner of a resource, at once and within the task that has it; if that does not work, by a signal that the server
 * keeps. Called by the loop alone, like every local activity.
 *
 * Guarantees: news is brought again until it is heard, the owner is gone, or there is newer news; also by the next run. Nobody waits for
 * that: neither the loop, nor the end of the resource, of which the sweep for missing children tells.
 */
export class Herald {
  private underway: Promise<void> = Promise.resolve();
  private latest: Tell | undefined;
  /** How often the latest news could not be brought. */
  private misses = 0;
  private readonly again = new Alarm(() => this.send(), 'tell the owner again');

  constructor(private readonly state: ResourceState) {}

  async tell(tell: Tell): Promise<void> {
    this.state.told = tell.fingerprint;
    this.latest = tell;
    this.misses = 0;
    this.again.set(undefined);
    try {
      await tellOwner({ to: tell.to, news: tell.news });
    } catch {
      this.send();
    }
  }

  /** Ends when nothing is on its way: a run that ends earlier might take it along. */
  get silence(): Promise<void> {
    return this.underway;
  }

  /** Leaves it to the next run to tell what was not heard. */
  handOver(): void {
    if (this.misses > 0) this.state.told = '';
  }

  private send(): void {
    const { latest } = this;
    if (!latest) return;
    const arrives = getExternalWorkflowHandle(latest.to)
      .signal(childSignal, latest.news)
      .then(
        () => this.heard(latest),
        (error: unknown) => this.missed(latest, error),
      );
    this.underway = Promise.all([this.underway, arrives]).then(() => undefined);
  }

  private heard(tell: Tell): void {
    if (tell === this.latest) this.misses = 0;
  }

  private missed(tell: Tell, error: unknown): void {
    if (tell !== this.latest || isGone(error) || !patched(UNTIL_HEARD)) return;
    const delay = Math.min(LONGEST_AGAIN_MS, FIRST_AGAIN_MS * 2 ** Math.min(this.misses, 20));
    this.misses += 1;
    this.again.set(Date.now() + delay);
  }
}

/** The SDK says why only in words. Taken for another reason it would do no harm: who has lost its owner goes soon. */
const isGone = (error: unknown): boolean => error instanceof Error && error.message.includes('not found');
