import { defineSearchAttributeKey } from '@temporalio/common';
import {
  ApplicationFailure,
  condition,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';

export { scheduledRun } from '../../workflows/scheduled-run.ts';

interface Manifest {
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly spec: object;
  readonly only?: string;
  readonly requestId?: string;
}

const phaseKey = defineSearchAttributeKey('ColonyPhase', 'KEYWORD');
const { syncSchedule } = proxyActivities<{ syncSchedule(input: object): Promise<unknown> }>({
  startToCloseTimeout: '30s',
  retry: { maximumAttempts: 3, initialInterval: '100ms' },
});

/** Stands for the resource of a Workflow: syncs its schedule when it is told to, and has the memo that a resource has. */
export async function Workflow(name: string): Promise<void> {
  const { firstExecutionRunId: uid } = workflowInfo();
  const apiVersion = 'automation.colonies.io/v1';
  const metadata = { uid, name, namespace: 'default' };
  let isOver = false;
  setHandler(defineUpdate<unknown, [object | null]>('sync'), (schedule) =>
    syncSchedule({ schedule, apiVersion, kind: 'Workflow', metadata }),
  );
  setHandler(defineSignal('end'), () => {
    isOver = true;
  });
  upsertMemo({ apiVersion, meta: { ...metadata, annotations: {} }, spec: { steps: [{ name: 'load' }] } });
  await condition(() => isOver);
}

/** Stands for a run: takes what it is told by `apply`, and ends by `finish` or by the command `cancel`, after a moment. */
export async function WorkflowRun(): Promise<void> {
  const { firstExecutionRunId: uid } = workflowInfo();
  let applied: Manifest | undefined;
  let isCancelled = false;
  let isFinished = false;
  setHandler(defineUpdate<unknown, [Manifest]>('apply'), (manifest) => {
    if (applied && applied.requestId !== manifest.requestId) throw ApplicationFailure.nonRetryable('it exists', 'AlreadyExists');
    applied = manifest;
    return { uid, generation: 1, operation: 'created', resourceVersion: '1' };
  });
  setHandler(defineUpdate<unknown, [{ readonly name: string }]>('command'), ({ name }) => {
    isCancelled = name === 'cancel';
    return {};
  });
  setHandler(defineSignal('finish'), () => {
    isFinished = true;
  });
  await condition(() => applied !== undefined);
  upsertMemo({ meta: { uid, ...applied?.metadata }, spec: applied?.spec ?? {} });
  upsertSearchAttributes([{ key: phaseKey, value: 'Running' }]);
  await condition(() => isCancelled || isFinished);
  upsertSearchAttributes([{ key: phaseKey, value: isCancelled ? 'Cancelled' : 'Succeeded' }]);
  await condition(() => false);
}
