import { createDecide } from '../../activities/decisions/decide.ts';
import { createFindKind } from '../../activities/decisions/find-kind.ts';
import { defaultRollover, defaultTuning } from '../../activities/index.ts';
import type { RolloverLimits } from '../../definitions/core/decision.ts';
import type { ApplyRequest } from '../../definitions/core/messages.ts';
import { newborn } from '../../workflows/state.ts';
import type { RunOptions } from './run.ts';

export const ownerId = 'applications.app.colonies.io/default/shop';

/** The real decider; it knows built-in kinds without asking a server. */
export function stepsDecider(rollover: Partial<RolloverLimits> = {}): RunOptions['decide'] {
  const findKind = createFindKind(undefined as never);
  return createDecide({ findKind, tuning: defaultTuning, rollover: { ...defaultRollover, ...rollover } });
}

/** A run of steps. */
export const runOfSteps: RunOptions = {
  workflowId: 'workflowruns.automation.colonies.io/default/r1',
  workflowType: 'WorkflowRun',
  decide: stepsDecider(),
};

/** An answer of so many bytes, and a few. */
export const large = (bytes: number): { readonly text: string } => ({ text: 'x'.repeat(bytes) });

/** What a run begins with that takes over so many answers of 240 kB. */
export function carrying(answers: number): Pick<RunOptions, 'input'> {
  const state = newborn({ ...runOfSteps, uid: 'uid', startedAt: Date.UTC(2026, 0, 1) });
  const { apiVersion, spec } = stepsRequest({ a: [] }, { isOwned: false });
  const observation = { key: 'earlier', generation: 1, at: 0, value: large(240_000) };
  const observed = Object.fromEntries(Array.from({ length: answers }, (_, index) => [`earlier/${index}`, observation]));
  const meta = { ...state.meta, generation: 1, finalizers: ['colony.io/clean-up'] };
  return { input: { carried: { ...state, apiVersion, spec, meta, observed } } };
}

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
