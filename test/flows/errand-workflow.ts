import { defineSearchAttributeKey } from '@temporalio/common';
import {
  ActivityCancellationType,
  condition,
  defineSignal,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';

const phaseKey = defineSearchAttributeKey('ColonyPhase', 'KEYWORD');

export const finishSignal = defineSignal('finish');
export const leaveSignal = defineSignal('leave');

/** Stands for a run with one step: calls runInstance as the planner does, tells a phase, and stays until it is told to leave. */
export async function errand(
  queue: string,
  given: {
    readonly template: object;
    readonly attempts?: number;
    readonly limitMs?: number;
    /** What is called after that. */
    readonly afterwards?: readonly { readonly attempt: number; readonly heard?: number }[];
  },
): Promise<unknown> {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  let isFinished = false;
  let mayLeave = false;
  setHandler(finishSignal, () => {
    isFinished = true;
  });
  setHandler(leaveSignal, () => {
    mayLeave = true;
  });
  upsertSearchAttributes([{ key: phaseKey, value: 'Running' }]);
  const { runInstance } = proxyActivities<{ runInstance(input: object): Promise<unknown> }>({
    taskQueue: queue,
    startToCloseTimeout: given.limitMs ?? 60_000,
    heartbeatTimeout: 5_000,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { maximumAttempts: 1 },
  });
  const results: unknown[] = [];
  const owner = { uid: firstExecutionRunId, resource: workflowId, name: 'run' };
  const step = { owner, path: 'outer.load', template: given.template, idempotencyKey: 'k' };
  for (let attempt = 1; attempt <= (given.attempts ?? 1); ) {
    try {
      results.push(await runInstance({ ...step, attempt }));
      break;
    } catch (error) {
      const cause = (error as { cause?: { name?: string; type?: string; message: string; timeoutType?: string } }).cause;
      const reason = cause?.type ?? cause?.timeoutType ?? cause?.name;
      results.push({ reason, message: cause?.message });
      // As flows do: a lost answer is no attempt.
      if (reason === 'HEARTBEAT' || reason === 'Lost') continue;
      if (reason === 'CancelledFailure') return results;
      attempt += 1;
    }
  }
  for (const call of given.afterwards ?? []) results.push(await runInstance({ ...step, ...call }));
  await condition(() => isFinished);
  upsertSearchAttributes([{ key: phaseKey, value: 'Succeeded' }]);
  await condition(() => mayLeave);
  return results;
}
