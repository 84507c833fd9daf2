import { Context } from '@temporalio/activity';

/** How far a long activity is; shown by `colony describe` while it runs. */
export interface Report {
  readonly doing: string;
  readonly done: number;
  readonly total: number;
}

export interface Reporting {
  readonly report: (report: Report) => void;
  /** Aborted when somebody no longer wants what this activity does. */
  readonly signal: AbortSignal;
  readonly workflowId: string;
}

/** How soon somebody who no longer wants it is heard: well within a second. */
const EVERY_MS = 400;

/** Runs work that tells how far it is, and hears within a second that it is no longer wanted. */
export async function whileReporting<T>(work: (reporting: Reporting) => Promise<T>): Promise<T> {
  const { info, cancellationSignal, heartbeat } = Context.current();
  let last: Report | undefined;
  const beat = (): void => heartbeat(last);
  const timer = setInterval(beat, EVERY_MS);
  try {
    const report = (next: Report): void => {
      last = next;
    };
    return await work({ report, signal: cancellationSignal, workflowId: info.workflowExecution?.workflowId ?? '' });
  } finally {
    clearInterval(timer);
  }
}
