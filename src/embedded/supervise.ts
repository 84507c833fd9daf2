import type { ChildProcess } from 'node:child_process';
import { identify, type ProcessIdentity } from '../../activities/runtimes/local/process-identity.ts';

export interface Supervision {
  readonly start: () => ChildProcess | Promise<ChildProcess>;
  /** Told at every start, and with undefined at every end. */
  readonly onChange: (identity: ProcessIdentity | undefined) => void;
  /** Told why it ended and when it is started again. */
  readonly onEnd: (reason: string, againInMs: number) => void;
}

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;
/** Who lived this long has earned a fresh start. */
const STEADY_MS = 30_000;

/** Starts a child process again whenever it ends, after growing pauses while it keeps dying. */
export class Supervisor {
  private hasCeased = false;
  private waitMs = FIRST_WAIT_MS;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly supervision: Supervision) {}

  /** The first start; fails as `start` does. */
  async start(): Promise<void> {
    const child = await this.supervision.start();
    const began = Date.now();
    this.supervision.onChange(child.pid === undefined ? undefined : identify(child.pid));
    const ended = (reason: string): void => {
      this.supervision.onChange(undefined);
      if (Date.now() - began > STEADY_MS) this.waitMs = FIRST_WAIT_MS;
      this.again(reason);
    };
    if (child.exitCode !== null || child.signalCode !== null) return ended(reasonOf(child.exitCode, child.signalCode));
    child.once('exit', (code, signal) => ended(reasonOf(code, signal)));
    child.once('error', (error) => child.pid === undefined && ended(error.message));
  }

  /** Nothing is started any more; ending the child is the caller's. */
  cease(): void {
    this.hasCeased = true;
    clearTimeout(this.timer);
  }

  private again(reason: string): void {
    if (this.hasCeased) return;
    const { waitMs } = this;
    this.waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    this.supervision.onEnd(reason, waitMs);
    this.timer = setTimeout(() => void this.start().catch((error: Error) => this.again(error.message)), waitMs);
  }
}

const reasonOf = (code: number | null, signal: NodeJS.Signals | null): string => (signal ? `killed by ${signal}` : `exit code ${code}`);
