import { CancellationScope, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow';

/** What a schedule starts: which Workflow it belongs to. */
export interface ScheduledRunStart {
  readonly workflow: {
    /** Of its own workflow. */
    readonly id: string;
    readonly uid: string;
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
  };
  readonly overlap?: string;
}

interface Run {
  readonly id: string;
  readonly uid: string;
}

interface RunActivities {
  /** Null: the Workflow is gone, so there is nothing to run. */
  createRun(request: ScheduledRunStart & { readonly scheduledAt: string; readonly startedBy: string }): Promise<Run | null>;
  awaitRun(run: Run): Promise<{ readonly phase: string }>;
  cancelRun(run: Run): Promise<void>;
}

const { createRun, awaitRun, cancelRun } = proxyActivities<RunActivities>({
  // Nothing here takes longer than a moment; a worker that died over it is noticed by this.
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', maximumInterval: '15s' },
});

/**
 * One start of a schedule: makes a WorkflowRun, lives as long as that does, and ends with it.
 *
 * Schedules see overlap by the workflows they started, so this one stands for the run: cancelling it cancels the run and waits for its end.
 * While it waits it writes no events.
 */
export async function scheduledRun(start: ScheduledRunStart): Promise<{ readonly run?: string; readonly phase: string }> {
  const { startTime, firstExecutionRunId: startedBy, searchAttributes } = workflowInfo();
  const [scheduled] = (searchAttributes.TemporalScheduledStartTime ?? []) as Date[];
  const scheduledAt = (scheduled ?? startTime).toISOString();
  const run = await CancellationScope.nonCancellable(() => createRun({ ...start, scheduledAt, startedBy }));
  if (!run) return { phase: 'Gone' };
  try {
    const { phase } = await awaitRun(run);
    return { run: run.id, phase };
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await cancelRun(run);
      await awaitRun(run);
    });
    throw error;
  }
}
