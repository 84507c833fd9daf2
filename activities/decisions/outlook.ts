import { annotations, CLEAN_UP } from '../../definitions/core/annotations.ts';
import type { Note, PlanAnswer, RolloverLimits, StatusPatch } from '../../definitions/core/decision.ts';
import { isSame } from '../../definitions/core/diff.ts';
import { jsonBytes } from '../../definitions/core/json.ts';
import { limits } from '../../definitions/core/limits.ts';
import { isBlind, isFinal, isQuiet } from '../../definitions/core/patience.ts';
import type { Plan, View } from '../../definitions/core/plan.ts';
import { listed } from '../../definitions/core/quote.ts';
import { unindexedLabels } from '../../definitions/core/replayed/indexed-labels.ts';
import type { Condition, ConditionClaim, JsonObject, Status } from '../../definitions/core/resource.ts';
import type { Failing, Step } from '../../definitions/core/step.ts';
import { isObject } from './refusal.ts';
import { tellOf } from './tell.ts';

/** How long a planner that failed rests before it is asked again: new code may have come. */
const PLAN_AGAIN_MS = 60_000;

/** What only the loop knows. */
export interface Known {
  /** Of its workflow. */
  readonly id: string;
  readonly rejected: string | undefined;
  /** Fingerprint of what the owner was last told; empty when it has not heard that. */
  readonly told: string | undefined;
}

/** Turns a planner's plan into the workflow's marching orders: what waits out a back-off is held back, the status becomes a patch. */
export function outlook(plan: Plan, view: View, { id, rejected, told }: Known, rollover: RolloverLimits): PlanAnswer {
  const isPaused = view.metadata.annotations[annotations.paused] === 'true' && !view.deleting;
  const isResting = (step: Step) => {
    const failing = view.failing[step.about];
    return failing?.key === step.key && failing.retryAt > view.now;
  };
  const flying = isPaused ? [] : plan.steps.filter((step) => !isResting(step));
  const resting = isPaused ? [] : plan.steps.filter(isResting);
  const wakeAt = earliest([isPaused ? undefined : plan.wakeAt, ...resting.map(({ about }) => view.failing[about]?.retryAt)]);
  const outside = view.metadata.finalizers.filter((finalizer) => finalizer !== CLEAN_UP);
  const inAir = new Set(view.inAir);
  const wanted = new Set(flying.map(({ key }) => key));
  const cancel = [...inAir].filter((key) => !wanted.has(key));
  const status = statusOf(plan, view, { isPaused, rejected, outside, isStillMoving: cancel.length > 0 });
  // Also what nobody wants any more may still do something: until it has landed, nothing is gone.
  const finalized = view.deleting && (plan.finalized ?? plan.steps.length === 0) && outside.length === 0 && inAir.size === 0;
  const tell = plan.inDetail && told !== '' ? undefined : tellOf(view, id, status, finalized, told);
  return {
    start: flying.filter(({ key }) => !inAir.has(key)),
    ...(cancel.length > 0 ? { cancel } : {}),
    status: patchOf(view.status, status),
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(plan.publishFirst ? { publishFirst: true } : {}),
    ...(plan.inDetail ? { inDetail: true } : {}),
    ...(plan.landings !== undefined && plan.landings > 1 ? { landings: plan.landings } : {}),
    ...(plan.forget?.length ? { forget: plan.forget } : {}),
    ...(plan.retire ? { retire: true } : {}),
    ...(tell ? { tell } : {}),
    finalized,
    leftBehind: [...(plan.leftBehind ?? []), ...outside.map((finalizer) => `Finalizer ${finalizer} was not waited for.`)],
    notes: [...notesOf(view.status, status), ...(plan.notes ?? [])],
    rollover,
  };
}

/** A planner that throws is a condition, not a poisoned task: the last good status stays and what is in the air goes on. */
export function planFailed(view: View, error: unknown, rollover: RolloverLimits): PlanAnswer {
  const message = `The planner of ${view.kind} failed: ${error instanceof Error ? error.message : String(error)}`.slice(
    0,
    limits.messageChars,
  );
  const claim: ConditionClaim = { type: 'PlanFailed', status: 'True', reason: 'PlanFailed', message };
  const others = (view.status?.conditions ?? []).filter(({ type }) => type !== claim.type);
  const status = { ...view.status, conditions: [...others, ...stamped([claim], view)] };
  return {
    status: patchOf(view.status, status),
    wakeAt: view.now + PLAN_AGAIN_MS,
    finalized: false,
    leftBehind: ['Everything it has made: its planner fails.'],
    notes: notesOf(view.status, status),
    rollover,
  };
}

interface Circumstances {
  readonly isPaused: boolean;
  readonly rejected: string | undefined;
  readonly outside: readonly string[];
  /** What was begun for an earlier plan has not ended yet, so nobody knows what it will leave. */
  readonly isStillMoving: boolean;
}

function statusOf(plan: Plan, view: View, circumstances: Circumstances): JsonObject & { conditions: readonly Condition[] } {
  const { conditions: _conditions, observedGeneration: _generation, phase: ownPhase, ...own } = plan.status;
  const { generation } = view.metadata;
  const isReached = plan.steps.length === 0 && !plan.failure;
  const observedGeneration = plan.observedGeneration ?? (isReached ? generation : view.status?.observedGeneration);
  const failing = failingOf(plan, view);
  const claims = claimsOf(plan, view, failing, circumstances, observedGeneration);
  const ready = claims.find(({ type }) => type === 'Ready');
  const phase = plan.phase ?? (typeof ownPhase === 'string' ? ownPhase : phaseOf(view, ready, failing, circumstances));
  const whole = {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    phase: view.deleting ? 'Deleting' : phase,
    ...own,
    conditions: stamped(claims, view, plan),
  };
  if (jsonBytes(whole) <= limits.statusBytes) return whole;
  const tooLarge: ConditionClaim = {
    type: 'StatusTooLarge',
    status: 'True',
    reason: 'StatusTooLarge',
    message: `The status is larger than ${limits.statusBytes} bytes and was cut to its conditions.`,
  };
  const few = claims.slice(0, 10).map((claim) => ({ ...claim, message: claim.message.slice(0, 200) }));
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    phase: String(phase).slice(0, 100),
    conditions: stamped([...few, tooLarge], view),
  };
}

type Failure = Pick<Failing, 'reason' | 'message'>;

/** Steps that do not get through, and an end of one that the planner cannot use. */
function failingOf({ steps, failure }: Plan, view: View): readonly Failure[] {
  const ofSteps = Object.values(view.failing).filter(({ key }) => steps.some((step) => step.key === key));
  return failure ? [...ofSteps, failure] : ofSteps;
}

/** The planner's conditions, Ready derived where it is silent, and what only the loop knows. */
function claimsOf(
  plan: Plan,
  view: View,
  failing: readonly Failure[],
  { isPaused, rejected, outside, isStillMoving }: Circumstances,
  observedGeneration: number | undefined,
): ConditionClaim[] {
  const stated = plan.conditions ?? [];
  const claims = stated.filter(({ type }) => type !== 'Ready');
  claims.unshift(
    readyOf(
      plan,
      view,
      failing,
      isStillMoving ? undefined : observedGeneration,
      stated.find(({ type }) => type === 'Ready'),
    ),
  );
  const nobody = failing.find(({ reason }) => reason === 'ExecutorUnavailable');
  if (nobody)
    claims.push({
      type: 'ExecutorUnavailable',
      status: 'True',
      reason: 'ExecutorUnavailable',
      message: `${sentence(nobody.message)} It goes on by itself when an executor comes.`,
    });
  if (isStalled(plan, view)) {
    const until = view.deleting ? 'somebody asks for it' : 'the spec changes or somebody asks for it';
    claims.push({ type: 'Stalled', status: 'True', reason: 'NotTriedAgain', message: `It is not tried again until ${until}.` });
  }
  if (rejected) claims.push({ type: 'SpecAccepted', status: 'False', reason: 'SpecRefused', message: sentence(rejected) });
  if (isPaused)
    claims.push({
      type: 'Paused',
      status: 'True',
      reason: 'Paused',
      message: `Annotation ${annotations.paused} is set; nothing is done until it is removed.`,
    });
  if (view.deleting && outside.length > 0) {
    claims.push({
      type: 'DeletionBlocked',
      status: 'True',
      reason: 'FinalizersLeft',
      message: `Waits for finalizers to be removed: ${[...outside].sort().join(', ')}.`,
    });
  }
  const unindexed = unindexedLabels(view.metadata.labels);
  if (unindexed.length > 0) {
    const count = `${unindexed.length} of ${Object.keys(view.metadata.labels).length} labels`;
    const message = `${count} do not fit into the search attribute ColonyLabels: ${listed(unindexed)}.`;
    claims.push({ type: 'LabelsIndexed', status: 'False', reason: 'TooLong', message });
  }
  // Of what the loop knows itself, its word counts.
  const said = claims.filter(({ type }, index) => claims.findLastIndex((other) => other.type === type) === index);
  return said.map((claim) => ({ ...claim, message: claim.message.slice(0, limits.messageChars) }));
}

/** What failed is not tried again by itself. */
function isStalled({ steps, failure, wakeAt }: Plan, { failing }: View): boolean {
  const isOver = steps.some(({ about, key }) => failing[about]?.key === key && isFinal(failing[about]));
  return isOver || (failure !== undefined && steps.length === 0 && wakeAt === undefined);
}

function readyOf(
  plan: Plan,
  view: View,
  failing: readonly Failure[],
  observedGeneration: number | undefined,
  stated: ConditionClaim | undefined,
): ConditionClaim {
  const ready = (status: ConditionClaim['status'], reason: string, message: string): ConditionClaim => ({
    type: 'Ready',
    status,
    reason,
    message,
  });
  const [worst] = [...failing].sort((a, b) => Number(isQuiet(a)) - Number(isQuiet(b)));
  if (worst) return ready(isQuiet(worst) || isBlind(worst) ? 'Unknown' : 'False', worst.reason, sentence(worst.message));
  if (view.deleting) return ready('False', 'Deleting', 'The resource is being deleted.');
  if (observedGeneration !== view.metadata.generation) {
    return ready('Unknown', 'Reconciling', `Generation ${view.metadata.generation} has not been reached yet.`);
  }
  if (stated) return stated;
  return plan.steps.length === 0
    ? ready('True', 'Settled', 'Everything is as the spec says.')
    : ready('Unknown', 'Reconciling', 'Work is under way.');
}

function phaseOf(view: View, ready: ConditionClaim | undefined, failing: readonly Failure[], { isPaused }: Circumstances): string {
  if (isPaused) return 'Paused';
  if (failing.some((one) => !isQuiet(one) && !isBlind(one))) return 'Failed';
  if (ready?.status === 'True') return 'Ready';
  return view.status?.observedGeneration === undefined ? 'Pending' : 'Progressing';
}

/** Times are kept while the status stays, so that the same state written twice is the same text. */
function stamped(claims: readonly ConditionClaim[], view: View, plan?: Plan): Condition[] {
  const { generation } = view.metadata;
  // What somebody said of an earlier generation stays said of that one; Ready is derived anew at every pass.
  const stated = new Set((plan?.conditions ?? []).map(({ type }) => type).filter((type) => type !== 'Ready'));
  const before = new Map((view.status?.conditions ?? []).map((condition) => [condition.type, condition]));
  return claims.map((claim) => {
    const earlier = before.get(claim.type);
    const isKept = earlier?.status === claim.status;
    return {
      ...claim,
      lastTransitionTime: isKept ? earlier.lastTransitionTime : new Date(view.now).toISOString(),
      observedGeneration: stated.has(claim.type) ? (plan?.observedGeneration ?? generation) : generation,
    };
  });
}

/** A whole status in every decision would make the history grow quadratically. */
function patchOf(before: JsonObject | undefined, after: JsonObject): StatusPatch {
  const old: JsonObject = before ?? {};
  const changed = Object.entries(after).filter(([key, value]) => !isSame(old[key], value));
  const large = changed.filter(([key, value]) => isLarge(old[key]) && isLarge(value));
  const merge = Object.fromEntries(large.map(([key, value]) => [key, patchOf(old[key] as JsonObject, value as JsonObject)]));
  return {
    set: Object.fromEntries(changed.filter(([key]) => !(key in merge))),
    unset: Object.keys(old).filter((key) => !(key in after)),
    ...(large.length > 0 ? { merge } : {}),
  };
}

const LARGE_FIELDS = 8;

const isLarge = (value: unknown): boolean => isObject(value) && Object.keys(value).length >= LARGE_FIELDS;

/** Conditions that are bad news, and when; what else a kind or a handler states is just news. */
const TROUBLE: Readonly<Record<string, ConditionClaim['status']>> = {
  Ready: 'False',
  InstancesFit: 'False',
  LabelsIndexed: 'False',
  LimitsHeld: 'False',
  ExecutorUnavailable: 'True',
  DeletionBlocked: 'True',
  PlanFailed: 'True',
  Stalled: 'True',
  StatusTooLarge: 'True',
  Failed: 'True',
  Degraded: 'True',
  ClaimExpired: 'True',
};

/** Reasons for not being ready that somebody wanted. */
const WANTED: readonly string[] = ['Deleting', 'RollingOut', 'RolloutPaused', 'Settling'];

/** A condition that changes is worth an event; a refused spec is one already, from the moment it was refused. */
function notesOf(before: Status | undefined, after: { readonly conditions?: readonly Condition[] }): Note[] {
  const old = new Map((before?.conditions ?? []).map((condition) => [condition.type, condition]));
  return (after.conditions ?? [])
    .filter(({ type }) => type !== 'SpecAccepted')
    .filter(({ type, status, reason }) => old.get(type)?.status !== status || old.get(type)?.reason !== reason)
    .filter(({ status, reason }) => !(status === 'Unknown' && reason === 'Reconciling'))
    .map(({ type, status, reason, message }) => ({
      type: TROUBLE[type] === status && !WANTED.includes(reason) ? ('Warning' as const) : ('Normal' as const),
      reason,
      message: message || `${type} is ${status}`,
    }));
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time): time is number => time !== undefined && time < Number.MAX_SAFE_INTEGER);
  return known.length === 0 ? undefined : Math.min(...known);
}

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
