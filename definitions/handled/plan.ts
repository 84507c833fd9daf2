import { forgottenChildren, inventoryOf } from '../core/children.ts';
import type { HandlerRef } from '../core/decision.ts';
import { diff } from '../core/diff.ts';
import { checkWith } from '../core/issues/index.ts';
import type { Issue } from '../core/kind.ts';
import { patience } from '../core/patience.ts';
import type { Plan, View } from '../core/plan.ts';
import type { ConditionClaim, JsonObject } from '../core/resource.ts';
import type { Observation, Step } from '../core/step.ts';
import { goodbye, keepChildren } from './children.ts';
import { finalFailures, type HandlerRequest, handlerResultSchema } from './contract.ts';

/** The lane of the handler's calls, and the one of what controllers outside report. */
const HANDLER = 'handler';
export const REPORTED = 'reported';

const DEFAULT_TIMEOUT_S = 300;

/**
 * Plans a user-defined kind: its handler is called for every new generation, on request, and at every interval.
 *
 * Guarantees: a call's result is credited to the generation it was made for; one call at a time; deletion calls `finalize`
 * once it has succeeded, the resource may go. A kind without handler just stores what people and controllers write.
 */
export function planHandled(handler: HandlerRef | undefined, view: View): Plan {
  if (!handler) return stored(view);
  return view.deleting ? finalizing(handler, view) : reconciling(handler, view);
}

function stored(view: View): Plan {
  return {
    steps: [],
    status: reportedStatus(view, undefined),
    conditions: [{ type: 'Ready', status: 'True', reason: 'Stored', message: 'No handler is declared for this kind; the spec is stored.' }],
  };
}

function finalizing(handler: HandlerRef, view: View): Plan {
  const seen = view.observed[HANDLER];
  const key = `finalize/${view.metadata.uid}`;
  const isDone = seen?.key.startsWith(key) ?? false;
  const call = `${handler.functionName} on ${handler.executorType}`;
  const children = goodbye(view, (resultOf(seen).children ?? []).length > 0);
  const cleanUp = isDone ? [] : [step(handler, view, `${key}/n${view.nudge}`, 'finalize')];
  return {
    steps: children.length > 0 ? children : cleanUp,
    status: view.status ? ownFields(view.status) : {},
    forget: forgottenChildren(view),
    leftBehind: [
      ...inventoryOf(view).map(({ kind, name }) => `${kind} ${name}, which it owns.`),
      ...(isDone ? [] : [`Whatever ${call} has made for it: the handler was not asked to clean up, or has not answered.`]),
    ],
  };
}

function reconciling(handler: HandlerRef, view: View): Plan {
  const seen = view.observed[HANDLER];
  const wish = `reconcile/g${view.metadata.generation}/n${view.nudge}`;
  const isCurrent = seen !== undefined && (seen.key === wish || seen.key.startsWith(`${wish}/`));
  const result = resultOf(seen);
  const dueAt = isCurrent ? resyncAt(handler, seen, result.requeueAfterSeconds) : undefined;
  const isDue = !isCurrent || (dueAt !== undefined && dueAt <= view.now);
  const key = isCurrent ? `${wish}/@${seen.at}` : wish;
  const children = keepChildren(view, result.children);
  const reached = reachedBy(view);
  const isAnswered = !result.failure && seen?.generation === view.metadata.generation;
  return {
    steps: [...(isDue ? [step(handler, view, key, 'reconcile')] : []), ...children.steps],
    status: { ...reportedStatus(view, seen), ...(result.outputs ? { outputs: result.outputs } : {}) },
    conditions: isAnswered ? withReady(result.conditions, children.claim) : result.conditions,
    forget: forgottenChildren(view),
    ...(isCurrent && result.failure ? { failure: result.failure } : {}),
    ...(reached === undefined ? {} : { observedGeneration: reached }),
    ...(dueAt !== undefined && !isDue ? { wakeAt: dueAt } : {}),
  };
}

/** Another look at what was reached already takes nothing back: only its answer does. */
function withReady(conditions: readonly ConditionClaim[], children: ConditionClaim | undefined): readonly ConditionClaim[] {
  if (children) return [...conditions.filter(({ type }) => type !== 'Ready'), children];
  if (conditions.some(({ type }) => type === 'Ready')) return conditions;
  return [...conditions, { type: 'Ready', status: 'True', reason: 'Settled', message: 'Everything is as the spec says.' }];
}

function step(handler: HandlerRef, view: View, key: string, operation: HandlerRequest['operation']): Step {
  const { generation, uid } = view.metadata;
  const isFinalize = operation === 'finalize';
  const failing = view.failing[HANDLER];
  const hadNobody = failing?.key === key && failing.reason === 'ExecutorUnavailable';
  const startToCloseMs = (handler.timeout ?? DEFAULT_TIMEOUT_S) * 1000;
  const { retry, ...limit } = patience(view, HANDLER, key, startToCloseMs);
  return {
    key,
    about: HANDLER,
    activity: handler.functionName,
    queue: handler.executorType,
    reason: isFinalize ? 'Finalizing' : 'Reconciling',
    summary: isFinalize ? 'clean up' : `reconcile generation ${generation}`,
    input: {
      operation,
      apiVersion: view.apiVersion,
      kind: view.kind,
      ...intent(view, isFinalize),
      idempotencyKey: isFinalize ? `${uid}/finalize` : `${uid}/${generation}`,
    },
    with: ['definition', 'metadata', 'spec', 'status'],
    timeouts: {
      ...limit,
      startToCloseMs,
      ...(handler.heartbeat ? { heartbeatMs: handler.heartbeat * 1000 } : {}),
      ...(hadNobody ? {} : { scheduleToStartMs: view.tuning.scheduleToStartMs }),
    },
    retry: { ...retry, nonRetryable: finalFailures },
  };
}

/** What the call is about, for the handler to act on without comparing anything itself. */
function intent(view: View, isFinalize: boolean): Pick<HandlerRequest, 'action' | 'changes'> {
  const reached = reachedBy(view);
  if (isFinalize) return { action: 'delete', changes: [] };
  if (reached === undefined) return { action: 'create', changes: [] };
  if (reached === view.metadata.generation) return { action: 'noop', changes: [] };
  return { action: 'update', changes: view.previousSpec ? diff(view.previousSpec, view.spec, 'spec') : [] };
}

/** The generation of the last answer that could be used; a handler that has never answered has reached none. */
function reachedBy(view: View): number | undefined {
  const seen = view.observed[HANDLER];
  return seen && resultOf(seen).failure ? view.status?.observedGeneration : seen?.generation;
}

interface Result {
  readonly children?: readonly JsonObject[];
  readonly status: JsonObject;
  readonly conditions: readonly ConditionClaim[];
  readonly outputs?: JsonObject;
  readonly requeueAfterSeconds?: number;
  /** The answer is not usable; nothing of it is. */
  readonly failure?: NonNullable<Plan['failure']>;
}

function resultOf(seen: Observation | undefined): Result {
  if (!seen) return { status: {}, conditions: [] };
  const checked = checkWith(handlerResultSchema, seen.value ?? {}, '');
  if ('issues' in checked) return { status: {}, conditions: [], failure: { reason: 'InvalidAnswer', message: unusable(checked.issues) } };
  const { status, conditions, outputs, children, requeueAfterSeconds } = checked.value;
  return {
    status,
    conditions,
    ...(children ? { children } : {}),
    ...(outputs ? { outputs } : {}),
    ...(requeueAfterSeconds !== undefined ? { requeueAfterSeconds } : {}),
  };
}

function unusable(issues: readonly Issue[]): string {
  const said = issues.map(({ path, message }) => (path ? `${path}: ${message}` : `it ${message}`));
  return `The handler's answer is not usable: ${said.join('; ')}.`;
}

function resyncAt(handler: HandlerRef, seen: Observation, requeueAfterSeconds: number | undefined): number | undefined {
  const seconds = [handler.reconcileInterval, requeueAfterSeconds].filter((value) => value !== undefined);
  return seconds.length === 0 ? undefined : seen.at + Math.max(1, Math.min(...seconds)) * 1000;
}

/** The handler's status, or what was known before it when its answer is not usable; and on top what was reported from outside since. */
function reportedStatus(view: View, seen: Observation | undefined): JsonObject {
  const { status, failure } = resultOf(seen);
  const known = failure && view.status ? ownFields(view.status) : status;
  const reported = view.observed[REPORTED];
  const isNewer = reported !== undefined && (seen === undefined || reported.at >= seen.at);
  return { ...known, ...(isNewer ? (reported.value as JsonObject) : {}) };
}

/** A status without the fields that are colony's own. */
function ownFields(status: JsonObject): JsonObject {
  const { conditions: _conditions, phase: _phase, observedGeneration: _generation, ...own } = status;
  return own;
}
