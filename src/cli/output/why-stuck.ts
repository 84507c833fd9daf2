import type { Condition, Resource } from '../../../definitions/core/resource.ts';

/** What a resource waits for, and what a person can do about it. */
export interface Stuck {
  readonly why: string;
  readonly todo: string;
}

type Rule = (resource: Resource, condition: (type: string) => Condition | undefined) => Stuck | undefined;

/** What to do about instances that do not get ready, by the reason why. */
const OF_INSTANCES: Readonly<Record<string, string>> = {
  CrashLoopBackOff: 'See what they said: colony logs {ref}. Then correct the spec and apply, or go back: colony rollout undo {ref}',
  Unhealthy: 'See what they said: colony logs {ref}. They are restarted while their probe fails.',
  ProgressDeadlineExceeded:
    'See why: colony logs {ref}. Then correct the spec and apply, go back: colony rollout undo {ref}, or try again: colony rollout resume {ref}',
  RolledBack: 'What worked before runs again. Correct the spec and apply.',
  RolloutPaused: 'colony rollout resume {ref}',
  NodeUnreachable: 'See on that node whether its agent runs and its runtime answers: colony doctor. It goes on by itself.',
  RuntimeUnavailable: 'Start that runtime on the node, or name another in the spec; it goes on by itself.',
};

/** The first rule that fits speaks: what stops everything else stands first. */
const RULES: readonly Rule[] = [
  ({ metadata }, condition) => {
    if (!metadata.deletionTimestamp) return undefined;
    const blocked = condition('DeletionBlocked');
    const ready = condition('Ready');
    const why =
      blocked?.status === 'True'
        ? blocked.message
        : `It is being deleted; clean-up is not done. ${ready?.reason === 'Deleting' ? '' : (ready?.message ?? '')}`;
    return { why: why.trim(), todo: 'When nobody will do that any more: colony delete {ref} --force (it says what it leaves behind).' };
  },
  (_, condition) => fromCondition(condition('Paused'), 'True', 'colony resume {ref}'),
  (_, condition) =>
    fromCondition(condition('SpecAccepted'), 'False', 'Apply a spec that is valid; until then the last good one stays in force.'),
  (_, condition) =>
    fromCondition(
      condition('PlanFailed'),
      'True',
      'This is a fault in the kind, not in the spec: update the workers, or go back with colony rollback {ref}.',
    ),
  (_, condition) =>
    fromCondition(condition('ExecutorUnavailable'), 'True', 'Start an executor on that queue; the resource goes on by itself.'),
  (_, condition) => fromCondition(condition('Blocked'), 'True', 'Change the spec, or the policy of the node that refuses it.'),
  ({ status }) => (status ? undefined : { why: 'No worker has looked at it yet.', todo: 'See whether one is running: colony doctor' }),
  ({ metadata, status }, condition) => {
    const ready = condition('Ready');
    if (ready?.status !== 'Unknown' || (status?.observedGeneration ?? 0) >= metadata.generation) return undefined;
    return {
      why: ready.message || `Generation ${metadata.generation} has not been reached yet.`,
      todo: 'Wait, or watch it: colony wait {ref} --for=condition=Ready. If nothing moves: colony doctor',
    };
  },
  (_, condition) => {
    const ready = condition('Ready');
    const todo = ready && ready.status !== 'True' ? OF_INSTANCES[ready.reason] : undefined;
    return ready && todo ? { why: `${ready.reason}: ${ready.message}`, todo } : undefined;
  },
  (_, condition) => {
    const ready = condition('Ready');
    if (!ready || ready.status === 'True') return undefined;
    const isSpec = ['InvalidSpec', 'Forbidden', 'Rejected', 'ImageMissing', 'PortTaken'].includes(ready.reason);
    return {
      why: `${ready.reason}: ${ready.message}`,
      todo: isSpec
        ? 'It is not tried again until the spec changes: correct it and apply.'
        : 'It is tried again with growing delay; to try now: colony reconcile {ref}',
    };
  },
];

/** Why a resource is not ready, or undefined when it is. `ref` is how the person names it. */
export function whyStuck(resource: Resource, ref: string): Stuck | undefined {
  const condition = (type: string): Condition | undefined => resource.status?.conditions?.find((one) => one.type === type);
  for (const rule of RULES) {
    const stuck = rule(resource, condition);
    if (stuck) return { why: stuck.why, todo: stuck.todo.replaceAll('{ref}', ref) };
  }
  return undefined;
}

function fromCondition(condition: Condition | undefined, when: Condition['status'], todo: string): Stuck | undefined {
  return condition?.status === when ? { why: `${condition.reason}: ${condition.message}`, todo } : undefined;
}
