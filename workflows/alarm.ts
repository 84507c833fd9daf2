import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

const TOLERANCE_MS = 1_000;

/** One timer, replaced only when the wished time moves by more than a second. */
export class Alarm {
  private scope: CancellationScope | undefined;
  private at: number | undefined;

  /** @param summary what people read in the Temporal UI. */
  constructor(
    private readonly ring: () => void,
    private readonly summary = 'look again',
  ) {}

  /** Rings at that time, unless it rings earlier anyway. */
  setAtLatest(at: number | undefined): void {
    if (at !== undefined && (this.at === undefined || this.at > at)) this.set(at);
  }

  set(at: number | undefined): void {
    if (at === this.at || (at !== undefined && this.at !== undefined && Math.abs(at - this.at) <= TOLERANCE_MS)) return;
    this.scope?.cancel();
    this.scope = undefined;
    this.at = at;
    if (at === undefined) return;
    const scope = new CancellationScope();
    this.scope = scope;
    scope
      .run(() => sleep(Math.max(1, at - Date.now()), { summary: this.summary }))
      .then(
        () => {
          this.at = undefined;
          this.scope = undefined;
          this.ring();
        },
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      );
  }
}
