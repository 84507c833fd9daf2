import { jsonBytes } from '../core/json.ts';
import type { Tuning } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Failing } from '../core/step.ts';
import { msOf } from '../flows/duration.ts';
import { typeOf } from '../flows/form.ts';
import { doingPartOf } from '../flows/parts.ts';
import { policyOf } from '../flows/retry.ts';
import type { StepSpec } from '../flows/schema.ts';
import type { Circle } from './circle.ts';
import { type Facts, keyOf, timeOf } from './facts.ts';
import { formProblem } from './form-problem.ts';
import type { Around } from './node.ts';
import { awaitResource } from './resource.ts';
import { fill } from './scope.ts';
import { hopeless, outputsOf, type Standing } from './standing.ts';
import { suspended } from './suspend.ts';
import { waitMsOf, wasLastWait } from './untaken.ts';
import { untaken, wordsOf } from './words.ts';

/** A result is kept in the state of the run as long as that lives. */
const MAX_OUTPUT_BYTES = 32 * 1024;
const MAX_UNKNOWN_REST_MS = 60_000;
const DEFAULT_MAX_AGE_MS = 24 * 3_600_000;
const NEVER = Number.MAX_SAFE_INTEGER;

/** Whether anything has happened to a leaf already, so that it is no question any more whether it may begin. */
export function hasBegun(facts: Facts, path: string): boolean {
  const entry = facts.entryOf(path);
  const isShown = entry !== undefined && (entry.phase !== 'Failed' || entry.startedAt !== undefined);
  return isShown || facts.landed(path) !== undefined || facts.failed(path) !== undefined || facts.isFlying(path);
}

/** How a step that may begin, or has begun, stands. */
export function standingOf(circle: Circle, path: string, spec: StepSpec, around: Around): Standing {
  switch (typeOf(spec)) {
    case 'suspend':
      return suspended(circle.facts, path, spec, around);
    case 'resource':
      return awaitResource(circle, path, spec, around);
    default:
      return flight(circle, path, spec, around);
  }
}

function flight(circle: Circle, path: string, spec: StepSpec, around: Around): Standing {
  const { facts } = circle;
  const landed = facts.landed(path);
  if (landed) return result(facts, path, spec, around, { value: landed.value, at: landed.at, attempt: landed.attempt });
  const failed = facts.failed(path);
  const { maxAttempts, restMs } = policyOf(spec.retry, spec.functionSpec?.maxretries, circle.flow.onFailure?.retry, circle.firstRetryMs);
  const base = facts.baseOf(path);
  if (failed) {
    const { attempt, again, reason, since } = failed;
    const late = tooLate(spec, failed, around, circle.view.tuning);
    const message = late ?? wordsOf(failed, spec, around, circle.view.tuning);
    const excuse = late === undefined ? excuseOf(failed, circle) : undefined;
    if (excuse)
      return airborne(circle, path, spec, around, { attempt, again: again + 1, message, ...excuse, notBefore: since + excuse.restMs });
    const tries = attempt - base;
    if (failed.retryAt === NEVER || tries >= maxAttempts || late !== undefined) {
      return { phase: 'Failed', reason, message, attempts: attempt, ...started(facts, path), finishedAt: since };
    }
    const next = { attempt: attempt + 1, again: 0, notBefore: since + restMs(tries), reason: 'Retrying', message, isStuck: false };
    return airborne(circle, path, spec, around, next);
  }
  const phase = facts.entryOf(path)?.phase;
  if (facts.isInAir(keyOf(path, base + 1, 0)) || phase === 'Running' || (circle.isEnding && phase === 'Cancelled')) {
    return airborne(circle, path, spec, around, { attempt: base + 1, again: 0, notBefore: 0, isStuck: false });
  }
  return beginning(circle, path, spec, around);
}

/** Nothing has happened yet: its result may be known, or it is its turn. */
function beginning({ facts }: Circle, path: string, spec: StepSpec, around: Around): Standing {
  const base = facts.baseOf(path);
  const filled = fill(doingPartOf(spec), around);
  if ('problem' in filled) return hopeless(facts, path, 'TemplateFailed', filled.problem);
  const doing = filled.value as JsonObject;
  const problem = formProblem(doing);
  if (problem !== undefined) return hopeless(facts, path, 'TemplateFailed', problem);
  if (spec.cache && !facts.wasUndone(path)) {
    const key = `${cacheLane(path)}/r${base}`;
    const found = facts.answer(cacheLane(path), key);
    const { hit, value } = (found?.value ?? {}) as { readonly hit?: boolean; readonly value?: unknown };
    if (found && hit)
      return { reason: 'Cached', ...result(facts, path, spec, around, { value, at: found.at, attempt: base + 1 }), isCached: true };
    if (!found && !facts.trouble(cacheLane(path), key)) {
      const cacheKey = String((doing.cache as JsonObject).key);
      return {
        phase: 'Pending',
        attempts: base,
        turn: { type: 'lookUp', key, cacheKey, maxAgeMs: msOf(spec.cache.maxAge) ?? DEFAULT_MAX_AGE_MS },
      };
    }
  }
  return { phase: 'Pending', attempts: base, turn: { type: 'first', attempt: base + 1, doing } };
}

/** The lane of the question whether a result is known already. */
export const cacheLane = (path: string): string => `cache/${path}`;

interface Excuse {
  readonly restMs: number;
  readonly reason: string;
  readonly isStuck: boolean;
}

/** Failures that are not the step's own: it is tried again, and they do not count. */
function excuseOf({ reason, message, again }: Failing & { readonly again: number }, { firstRetryMs }: Circle): Excuse | undefined {
  if (reason === 'Lost') return { restMs: 0, reason, isStuck: false };
  if (reason === 'ExecutorUnavailable') return { restMs: 0, reason, isStuck: true };
  if (reason !== 'NotFoundError' || !message.includes('is not registered')) return undefined;
  return { restMs: Math.min(MAX_UNKNOWN_REST_MS, firstRetryMs * 2 ** Math.min(again, 20)), reason: 'FunctionUnknown', isStuck: true };
}

/** That nobody took it for as long as its function may wait, if so. */
function tooLate(
  spec: StepSpec,
  { reason, again }: Failing & { readonly again: number },
  around: Around,
  tuning: Tuning,
): string | undefined {
  if (reason !== 'ExecutorUnavailable' || spec.functionSpec?.maxwaittime === undefined) return undefined;
  const filled = fill(doingPartOf(spec), around);
  if ('problem' in filled) return undefined;
  const doing = filled.value as JsonObject;
  const waitMs = waitMsOf(doing);
  return waitMs !== undefined && wasLastWait(waitMs, again, tuning) ? untaken(doing, waitMs) : undefined;
}

interface Attempt {
  readonly attempt: number;
  readonly again: number;
  readonly notBefore: number;
  readonly isStuck: boolean;
  readonly reason?: string;
  readonly message?: string;
}

function airborne({ facts }: Circle, path: string, spec: StepSpec, around: Around, next: Attempt): Standing {
  const { attempt, again, notBefore, isStuck, reason, message } = next;
  const isInAir = facts.isInAir(keyOf(path, attempt, again));
  const filled = fill(doingPartOf(spec), around);
  if ('problem' in filled) return hopeless(facts, path, 'TemplateFailed', filled.problem);
  const entry = facts.entryOf(path);
  const isShown = entry?.phase === 'Running' && (entry.attempts === undefined || entry.attempts === attempt);
  const isParked = !isStuck && (reason === 'Lost' || isShown);
  const isUnderWay = isInAir || isParked;
  return {
    phase: isStuck ? 'Pending' : 'Running',
    ...(reason === undefined ? {} : { reason, message: message ?? '' }),
    attempts: reason === 'Retrying' && !isUnderWay ? attempt - 1 : attempt,
    ...started(facts, path),
    turn: { type: 'fly', attempt, again, isUnderWay, isStuck, notBefore, doing: filled.value as JsonObject },
  };
}

function started(facts: Facts, path: string): { readonly startedAt?: number } {
  const startedAt = timeOf(facts.entryOf(path)?.startedAt);
  return startedAt === undefined ? {} : { startedAt };
}

interface Result {
  readonly value: unknown;
  readonly at: number;
  readonly attempt: number;
}

function result(facts: Facts, path: string, spec: StepSpec, around: Around, { value, at, attempt }: Result): Standing {
  const ended = { attempts: attempt, ...started(facts, path), finishedAt: at };
  const bytes = jsonBytes(value);
  if (bytes > MAX_OUTPUT_BYTES) {
    const message = `Its answer has ${bytes} bytes; at most ${MAX_OUTPUT_BYTES} can be handed on.`;
    return { phase: 'Failed', reason: 'OutputTooLarge', message, ...ended };
  }
  const outputs = outputsOf(spec, value, around);
  if ('problem' in outputs) return { phase: 'Failed', reason: 'OutputsFailed', message: outputs.problem, ...ended };
  return { phase: 'Succeeded', ...ended, outputs: outputs.value };
}
