import type { Condition, Resource } from '../../../definitions/core/resource.ts';
import { runtimeNames } from '../../../definitions/core/template.ts';
import { FOR_TIME } from '../../../definitions/workflow-run/reasons.ts';
import { reportsOf } from '../instances/reports.ts';
import { humanSpan } from './age.ts';

/** What a resource waits for, and what a person can do about it. */
export interface Stuck {
  readonly why: string;
  readonly todo: string;
}

type Rule = (resource: Resource, condition: (type: string) => Condition | undefined, now: number) => Stuck | undefined;

/** What only others than the resource can tell. */
export interface Circumstances {
  /** There is a rollout to undo. */
  readonly canUndo?: boolean;
}

const UNDO = 'colony rollout undo';

/** It is on its way, and nobody need do anything. */
const NOT_STUCK: Stuck = { why: '', todo: '' };

/** What to do about instances that do not get ready, by the reason why. */
const OF_INSTANCES: Readonly<Record<string, string>> = {
  CrashLoopBackOff: 'See what they said: colony logs {ref}. Then correct the spec and apply[, or go back: colony rollout undo {ref}]',
  Unhealthy: 'See what they said: colony logs {ref}. They are restarted while their probe fails.',
  ProgressDeadlineExceeded:
    'See why: colony logs {ref}. Then correct the spec and apply[, go back: colony rollout undo {ref}], or try again: colony rollout resume {ref}',
  RolledBack: 'What worked before runs again. Correct the spec and apply.',
  RolloutPaused: 'colony rollout resume {ref}',
  NodeUnreachable: 'See on that node whether its agent runs and its runtime answers: colony doctor. It goes on by itself.',
};

const NOT_STARTED_AGAIN =
  'See what they said: colony logs {ref}. Then correct the spec and apply, or start them once more as they are: colony rollout restart {ref}';

/** What to do about an Application that does not get ready, by the reason why. */
const OF_APPLICATIONS: Readonly<Record<string, string>> = {
  KindUnknown: 'Define that kind: colony crd create -f FILE. The component goes on by itself then.',
  KindAmbiguous: 'Say its apiVersion in the component.',
  NotOwned: 'Give the annotation to the resource that is there, or rename the component.',
  Refused: 'Correct the spec of that component and apply.',
  ReleaseFailed: 'Correct the spec and apply[, go back: colony rollback {ref}], or try again: colony command {ref} retry',
  RolledBack: 'What worked before runs again. Correct the spec and apply.',
  RollingBack: 'Wait until it is back: colony wait {ref} --for=condition=Progressing=False',
  RollingOut: 'Wait, or watch it: colony wait {ref} --for=condition=Ready. See who waits for whom above, and: colony tree {ref}',
  ComponentsNotReady: 'See which one, and why: colony tree {ref} -o wide',
  Suspended: 'colony set {ref} spec.suspend=false',
};

/** What to do about a run, by how it ended or why it waits. */
const OF_RUNS: Readonly<Record<string, string>> = {
  Failed: 'See which step, and why: colony workflow graph {ref}. Then do again what failed: colony workflow retry {ref}',
  Cancelled: 'To do the rest after all: colony workflow retry {ref}',
  Terminated: 'To do the rest after all: colony workflow retry {ref}',
  Suspended: 'Answer the step that waits: colony workflow approve {ref}',
  Paused: 'colony workflow resume {ref}',
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
    const again = isStalled(condition)
      ? 'It is not tried again by itself: mend what is in the way and have it tried: colony reconcile {ref}. '
      : '';
    return {
      why: why.trim(),
      todo: `${again}When nobody will do that any more: colony delete {ref} --force (it says what it leaves behind).`,
    };
  },
  (_, condition) => fromCondition(condition('Paused'), 'True', 'colony resume {ref}'),
  (_, condition) =>
    fromCondition(
      condition('PlanFailed'),
      'True',
      'This is a fault in the kind, not in the spec: update the workers[, or go back with colony rollback {ref}].',
    ),
  (_, condition) => {
    const nobody = condition('ExecutorUnavailable');
    const who = nobody?.message.includes('no node called') ? 'the agent of that node' : 'an executor on that queue';
    return fromCondition(nobody, 'True', `Start ${who}; the resource goes on by itself.`);
  },
  (_, condition) =>
    fromCondition(condition('FunctionUnknown'), 'True', 'Start an executor that has that function; the run goes on by itself.'),
  ({ status }) => (status ? undefined : { why: 'No worker has looked at it yet.', todo: 'See whether one is running: colony doctor' }),
  ({ apiVersion, kind, status }, condition) => {
    if (kind !== 'WorkflowRun' || !apiVersion.startsWith('automation.colonies.io/')) return undefined;
    const why = status?.phase === 'Suspended' ? condition('Suspended') : condition('Ready');
    const todo = OF_RUNS[status?.phase ?? ''];
    return todo && why && why.reason !== FOR_TIME ? { why: why.message, todo } : NOT_STUCK;
  },
  ({ apiVersion, kind }, condition) => {
    const ready = condition('Ready');
    const isOurs = kind === 'Application' && apiVersion.startsWith('app.colonies.io/');
    const todo = isOurs && ready && ready.status !== 'True' ? OF_APPLICATIONS[ready.reason] : undefined;
    return ready && todo ? { why: `${ready.reason}: ${ready.message}`, todo } : undefined;
  },
  (_, condition) => {
    const ready = condition('Ready');
    return ready && ready.status !== 'True' && isStalled(condition)
      ? { why: `${ready.reason}: ${ready.message}`, todo: afterFinal(ready.reason) }
      : undefined;
  },
  ({ metadata, status }, condition) => {
    const ready = condition('Ready');
    if (ready?.status !== 'Unknown' || (status?.observedGeneration ?? 0) >= metadata.generation) return undefined;
    return {
      why: ready.message || `Generation ${metadata.generation} has not been reached yet.`,
      todo: 'Wait, or watch it: colony wait {ref} --for=condition=Ready. If nothing moves: colony doctor',
    };
  },
  (resource, condition) => {
    const ready = condition('Ready');
    const todo = ready && ready.status !== 'True' ? ofInstances(ready.reason, resource) : undefined;
    return ready && todo ? { why: `${ready.reason}: ${ready.message}`, todo } : undefined;
  },
  ({ status }, condition, now) => {
    const ready = condition('Ready');
    if (!ready || ready.status === 'True') return undefined;
    const next = Date.parse(String(status?.nextTryTime));
    const again = FINAL.includes(ready.reason)
      ? afterFinal(ready.reason)
      : 'It is tried again with growing delay; to try now: colony reconcile {ref}';
    return { why: `${ready.reason}: ${ready.message}`, todo: Number.isNaN(next) ? again : untilTried(ready.reason, next - now) };
  },
];

/** Failures that only another spec, or another executor, can mend. */
const OF_THE_SPEC: readonly string[] = ['InvalidSpec', 'Forbidden', 'Rejected'];
const OF_THE_ANSWER: readonly string[] = ['InvalidAnswer', 'ResultTooLarge', 'ResultUnreadable'];

const FINAL: readonly string[] = [...OF_THE_SPEC, ...OF_THE_ANSWER];

function ofInstances(reason: string, resource: Resource): string | undefined {
  // Others have failures of that name too, which are tried again.
  if (reason === 'Failed') return hasEndedForGood(resource) ? NOT_STARTED_AGAIN : undefined;
  return reason === 'RuntimeUnavailable' ? withoutRuntime(resource) : OF_INSTANCES[reason];
}

/** The runtime of a resource that could run is fixed; one that nobody has may be corrected; kinds that know only one name none. */
function withoutRuntime({ spec: { runtime } }: Resource): string {
  const give = 'Give the node that runtime, as said above; it goes on by itself.';
  if (runtime === undefined) return give;
  return runtimeNames.some((name) => name === runtime)
    ? `${give} A resource keeps its runtime: for another, colony delete {ref}, then apply it with that one.`
    : 'Name one of those in the spec and apply.';
}

const hasEndedForGood = (resource: Resource): boolean =>
  reportsOf(resource).some(({ state, lastExit }) => state === 'finished' && lastExit?.code !== 0);

const isStalled = (condition: (type: string) => Condition | undefined): boolean => condition('Stalled')?.status === 'True';

/** Of a failure that nobody tries again. */
function afterFinal(reason: string): string {
  if (OF_THE_SPEC.includes(reason)) return 'It is not tried again until the spec changes: correct it and apply.';
  if (OF_THE_ANSWER.includes(reason)) return 'Mend the executor, then have it called again: colony reconcile {ref}';
  return 'It is not tried again by itself: correct the spec and apply, or mend what is in the way and have it tried: colony reconcile {ref}';
}

/** Of a failure of which it is known when it is tried again. */
function untilTried(reason: string, ms: number): string {
  const mend =
    reason === 'Blocked'
      ? 'Change the spec and apply, or do on the node what is said above'
      : 'Correct the spec and apply, or mend what is in the way';
  const next = ms > 0 ? `the next try is in ${humanSpan(ms)}; to try now: colony reconcile {ref}` : 'it is being tried just now.';
  return `${mend}: ${next}`;
}

/** What does not keep a resource from being ready, and should still be known. */
const NOTES: readonly Rule[] = [
  (_, condition) =>
    fromCondition(condition('SpecAccepted'), 'False', 'Apply a spec that is valid; until then the last good one stays in force.'),
  (_, condition) =>
    fromCondition(
      condition('InstancesFit'),
      'False',
      'They go on under the definition before. Correct and apply them, then look again: colony reconcile {ref}[; or take the definition back: colony rollback {ref}]',
    ),
];

/** What a resource waits for, or undefined when nothing is in its way. `ref` is how the person names it. */
export const whyStuck = (resource: Resource, ref: string, now = Date.now(), circumstances: Circumstances = {}): Stuck | undefined =>
  firstOf(RULES, resource, ref, now, circumstances);

/** True where `colony rollout undo` would be the advice, if there is something to go back to. */
export const offersUndo = (resource: Resource): boolean => whyStuck(resource, '', 0, { canUndo: true })?.todo.includes(UNDO) ?? false;

/** What a person should know of a resource whether it is ready or not. */
export const worthKnowing = (resource: Resource, ref: string): Stuck | undefined => firstOf(NOTES, resource, ref, 0, {});

/** Both in one line; the first is often somebody else's sentence, which need not have a full stop. */
export const inOneLine = ({ why, todo }: Stuck): string => `${why}${/[.!?…]$/.test(why) ? '' : '.'} ${todo}`;

function firstOf(rules: readonly Rule[], resource: Resource, ref: string, now: number, circumstances: Circumstances): Stuck | undefined {
  const condition = (type: string): Condition | undefined => resource.status?.conditions?.find((one) => one.type === type);
  for (const rule of rules) {
    const stuck = rule(resource, condition, now);
    if (stuck === NOT_STUCK) return undefined;
    if (stuck) return { why: stuck.why, todo: offered(stuck.todo, resource, circumstances).replaceAll('{ref}', ref) };
  }
  return undefined;
}

/** What stands in brackets goes back to something: it is left out where there is nothing. */
function offered(todo: string, { metadata }: Resource, { canUndo = false }: Circumstances): string {
  return todo.replace(/\[([^\]]*)\]/, (_, clause: string, at: number) => {
    if (clause.includes(UNDO) ? canUndo : metadata.generation > 1) return clause;
    const isEnd = at + clause.length + 2 === todo.length && !todo.slice(0, at).endsWith('{ref}');
    return isEnd ? '.' : '';
  });
}

function fromCondition(condition: Condition | undefined, when: Condition['status'], todo: string): Stuck | undefined {
  return condition?.status === when ? { why: `${condition.reason}: ${condition.message}`, todo } : undefined;
}
