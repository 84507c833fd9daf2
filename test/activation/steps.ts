import { createDecide } from '../../activities/decisions/decide.ts';
import { createFindKind } from '../../activities/decisions/find-kind.ts';
import { defaultRollover, defaultTuning } from '../../activities/index.ts';
import type { ApplyRequest } from '../../definitions/core/messages.ts';
import type { RunOptions } from './run.ts';

export const ownerId = 'applications.app.colonies.io/default/shop';

/** A run of steps under the real decider; it knows built-in kinds without asking a server. */
export const runOfSteps: RunOptions = {
  workflowId: 'workflowruns.automation.colonies.io/default/r1',
  workflowType: 'WorkflowRun',
  decide: createDecide({ findKind: createFindKind(undefined as never), tuning: defaultTuning, rollover: defaultRollover }),
};

/** Steps by name, and which others each waits for. */
export function stepsRequest(steps: Readonly<Record<string, readonly string[]>>, { isOwned }: { readonly isOwned: boolean }): ApplyRequest {
  const functionSpec = { funcName: 'work', conditions: { executorType: 'workers' } };
  const owner = { apiVersion: 'app.colonies.io/v1', kind: 'Application', name: 'shop', uid: 'owner', controller: true };
  return {
    apiVersion: 'automation.colonies.io/v1',
    kind: 'WorkflowRun',
    metadata: isOwned ? { ownerReferences: [owner], annotations: { 'colony.io/owner': ownerId } } : {},
    spec: { steps: Object.entries(steps).map(([name, dependsOn]) => ({ name, dependsOn, functionSpec })) },
  } as ApplyRequest;
}
