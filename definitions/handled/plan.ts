import { forgottenChildren, inventoryOf } from '../core/children.ts';
import type { HandlerRef } from '../core/decision.ts';
import { diff } from '../core/diff.ts';
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
  return {
    steps: [...(isDue ? [step(handler, view, key, 'reconcile')] : []), ...children.steps],
    status: { ...reportedStatus(view, seen), ...(result.outputs ? { outputs: result.outputs } : {}) },
    conditions: seen?.generation === view.metadata.generation ? withReady(result.conditions, children.claim) : result.conditions,
    forget: forgottenChildren(view),
    ...(seen ? { observedGeneration: seen.generation } : {}),
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
  const seen = view.observed[HANDLER];
  if (isFinalize) return { action: 'delete', changes: [] };
  if (!seen) return { action: 'create', changes: [] };
  if (seen.generation === view.metadata.generation) return { action: 'noop', changes: [] };
  return { action: 'update', changes: view.previousSpec ? diff(view.previousSpec, view.spec, 'spec') : [] };
}

interface Result {
  readonly children?: readonly JsonObject[];
  readonly status: JsonObject;
  readonly conditions: readonly ConditionClaim[];
  readonly outputs?: JsonObject;
  readonly requeueAfterSeconds?: number;
}

function resultOf(seen: Observation | undefined): Result {
  if (!seen) return { status: {}, conditions: [] };
  const parsed = handlerResultSchema.safeParse(seen.value ?? {});
  if (parsed.success) {
    const { status, conditions, outputs, children, requeueAfterSeconds } = parsed.data;
    return {
      status,
      conditions,
      ...(children ? { children } : {}),
      ...(outputs ? { outputs } : {}),
      ...(requeueAfterSeconds !== undefined ? { requeueAfterSeconds } : {}),
    };
  }
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the answer';
  return {
    status: {},
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'InvalidAnswer',
        message: `The handler's answer is not usable: ${where}: ${issue?.message}.`,
      },
    ],
  };
}

function resyncAt(handler: HandlerRef, seen: Observation, requeueAfterSeconds: number | undefined): number | undefined {
  const seconds = [handler.reconcileInterval, requeueAfterSeconds].filter((value) => value !== undefined);
  return seconds.length === 0 ? undefined : seen.at + Math.max(1, Math.min(...seconds)) * 1000;
}

/** The handler's status, and on top what was reported from outside since. */
function reportedStatus(view: View, seen: Observation | undefined): JsonObject {
  const reported = view.observed[REPORTED];
  const isNewer = reported !== undefined && (seen === undefined || reported.at >= seen.at);
  return { ...resultOf(seen).status, ...(isNewer ? (reported.value as JsonObject) : {}) };
}

/** A status without the fields that are colony's own. */
function ownFields(status: JsonObject): JsonObject {
  const { conditions: _conditions, phase: _phase, observedGeneration: _generation, ...own } = status;
  return own;
}
