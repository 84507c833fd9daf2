import type { Tuning } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Failing } from '../core/step.ts';
import { durationText, msOf } from '../flows/duration.ts';
import { doingPartOf } from '../flows/parts.ts';
import type { StepSpec } from '../flows/schema.ts';
import { limitOf, nodeOf } from './flight.ts';
import type { Around } from './node.ts';
import { fill } from './scope.ts';

/** A duration as it was written, if it was written as a text. */
export const spanText = (given: unknown, ms = msOf(given) ?? 0): string => (typeof given === 'string' ? given : durationText(ms));

/** That something took longer than it may. */
export const tooLong = (what: string, span: string): string => `${what} took longer than its timeout of ${span}.`;

/** That no executor took a function in the time that it may wait. */
export function untaken({ functionSpec }: JsonObject, waitMs: number): string {
  const { executorType, executortype } = ((functionSpec as JsonObject).conditions ?? {}) as JsonObject;
  return `nobody on task queue ${executorType ?? executortype} took the work within its maxwaittime of ${waitMs / 1_000} s`;
}

/** What the server says of a call that took too long; what an executor says itself is not of this form. */
const OF_SERVER = /^activity \w+ timeout$/i;

/** Why an attempt failed, in words that speak of the step and not of what carries it. */
export function wordsOf({ reason, message }: Failing, spec: StepSpec, around: Around, tuning: Tuning): string {
  const isNobody = reason === 'ExecutorUnavailable' && spec.run !== undefined;
  const isLate = reason === 'TimedOut' && OF_SERVER.test(message);
  if (!isNobody && !isLate) return message;
  const filled = fill(doingPartOf(spec), around);
  if ('problem' in filled) return message;
  const doing = filled.value as JsonObject;
  return isNobody ? `no node called ${nodeOf(doing, tuning)} answers` : tooLong('It', spanText(doing.timeout, limitOf(doing)));
}
