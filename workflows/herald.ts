import { getExternalWorkflowHandle } from '@temporalio/workflow';
import type { Tell } from '../definitions/core/decision.ts';
import { childSignal } from './messages.ts';
import type { ResourceState } from './state.ts';

/** Brings news to the owner of a resource; an owner that is gone need not be told. */
export class Herald {
  private underway: Promise<void> = Promise.resolve();

  constructor(private readonly state: ResourceState) {}

  tell({ to, news, fingerprint }: Tell): void {
    this.state.told = fingerprint;
    const arrives = getExternalWorkflowHandle(to)
      .signal(childSignal, news)
      .catch(() => undefined);
    this.underway = Promise.all([this.underway, arrives]).then(() => undefined);
  }

  /** Ends when all news has arrived: a run that ends earlier might take it along. */
  get silence(): Promise<void> {
    return this.underway;
  }
}
