import { getExternalWorkflowHandle, proxyLocalActivities } from '@temporalio/workflow';
import type { Tell } from '../definitions/core/decision.ts';
import { childSignal } from './messages.ts';
import type { ResourceState } from './state.ts';

const { tellOwner } = proxyLocalActivities<{ tellOwner(tell: Pick<Tell, 'to' | 'news'>): Promise<void> }>({
  startToCloseTimeout: '3s',
  retry: { maximumAttempts: 2, initialInterval: '100ms' },
});

/**
 * Brings news to the owner of a resource, at once and within the task that has it; if that does not work, by a signal that the server
 * keeps. Called by the loop alone, like every local activity.
 */
export class Herald {
  private underway: Promise<void> = Promise.resolve();

  constructor(private readonly state: ResourceState) {}

  async tell({ to, news, fingerprint }: Tell): Promise<void> {
    this.state.told = fingerprint;
    try {
      await tellOwner({ to, news });
    } catch {
      const arrives = getExternalWorkflowHandle(to)
        .signal(childSignal, news)
        .catch(() => undefined);
      this.underway = Promise.all([this.underway, arrives]).then(() => undefined);
    }
  }

  /** Ends when all news has arrived: a run that ends earlier might take it along. */
  get silence(): Promise<void> {
    return this.underway;
  }
}
