import type { Probe, ProbeCheck } from '../../definitions/core/template.ts';

/** Asks once; throws one sentence when the answer is no, or none comes in time. */
export type Ask = (check: ProbeCheck, timeoutMs: number) => Promise<void>;

export type Verdict = 'passes' | 'fails' | undefined;

/**
 * Asks one probe again and again until it is ended.
 *
 * Guarantees: says something only when the verdict changes; undefined until the first threshold is reached.
 */
export class Probing {
  verdict: Verdict;
  /** Why it fails, as it was when it began to. */
  complaint = '';
  private passes = 0;
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  constructor(
    private readonly probe: Probe,
    private readonly ask: Ask,
    private readonly changed: () => void,
  ) {
    this.next(probe.initialDelaySeconds * 1000);
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  private next(ms: number): void {
    if (this.isOver) return;
    this.timer = setTimeout(() => void this.once(), ms);
    this.timer.unref();
  }

  private async once(): Promise<void> {
    const { check, timeoutSeconds, periodSeconds } = this.probe;
    const answer = await this.ask(check, timeoutSeconds * 1000).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (this.isOver) return;
    this.count(answer);
    // Until it has passed once, a person waits for it: ask more often.
    this.next(this.verdict === undefined ? Math.min(periodSeconds * 1000, FIRST_PERIOD_MS) : periodSeconds * 1000);
  }

  private count(failure: string | undefined): void {
    this.passes = failure === undefined ? this.passes + 1 : 0;
    this.failures = failure === undefined ? 0 : this.failures + 1;
    if (this.passes >= this.probe.successThreshold) this.say('passes', '');
    else if (failure !== undefined && this.failures >= this.probe.failureThreshold) this.say('fails', failure);
  }

  private say(verdict: Verdict, complaint: string): void {
    if (this.verdict === verdict) return;
    this.verdict = verdict;
    this.complaint = complaint;
    this.changed();
  }
}

const FIRST_PERIOD_MS = 500;
