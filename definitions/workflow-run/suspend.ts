import type { JsonObject } from '../core/resource.ts';
import { msOf } from '../flows/duration.ts';
import { doingPartOf } from '../flows/parts.ts';
import type { StepSpec } from '../flows/schema.ts';
import { type Facts, timeOf } from './facts.ts';
import { formProblem } from './form-problem.ts';
import type { Around } from './node.ts';
import { FOR_TIME } from './reasons.ts';
import { fill } from './scope.ts';
import { hopeless, outputsOf, type Standing } from './standing.ts';
import { spanText } from './words.ts';

/** What a suspended step that begins at this time says while it waits, and for how long. */
export function askOf(doing: JsonObject, startedAt: number) {
  const { message, duration, timeout, onTimeout = 'Fail' } = doing.suspend as JsonObject;
  const own = message === undefined ? [] : [String(message)];
  const pauseMs = msOf(duration);
  if (pauseMs === undefined) {
    return { says: { message: own[0] ?? 'Waits for an approval.' }, waitMs: msOf(timeout), onTimeout };
  }
  const span = spanText(duration, pauseMs);
  const until = new Date(startedAt + pauseMs).toISOString().slice(0, 19).replace('T', ' ');
  const says = { reason: FOR_TIME, message: [...own, `Waits ${span}, until ${until} UTC.`].join(' ') };
  return { says, waitMs: pauseMs, onTimeout, waited: `Waited ${span}.` };
}

/** How a step stands that waits for somebody's word, or for time to pass. */
export function suspended(facts: Facts, path: string, spec: StepSpec, around: Around): Standing {
  const entry = facts.entryOf(path);
  const word = facts.wordOf(path);
  const base = facts.baseOf(path);
  const filled = fill(doingPartOf(spec), around);
  if ('problem' in filled) return hopeless(facts, path, 'TemplateFailed', filled.problem);
  const doing = filled.value as JsonObject;
  if (!entry && !word) {
    const problem = formProblem(doing);
    if (problem !== undefined) return hopeless(facts, path, 'TemplateFailed', problem);
    return { phase: 'Pending', attempts: base, turn: { type: 'first', attempt: base + 1, doing } };
  }
  const attempts = base + 1;
  const startedAt = timeOf(entry?.startedAt) ?? facts.now;
  const finishedAt = timeOf(entry?.finishedAt) ?? facts.now;
  const { says, waitMs, onTimeout, waited } = askOf(doing, startedAt);
  if (word?.verdict === 'reject') {
    return { phase: 'Failed', reason: 'Rejected', message: word.message ?? `Rejected by ${word.by}.`, attempts, startedAt, finishedAt };
  }
  const passed = (values: JsonObject, reason: string, message: string): Standing => {
    const outputs = outputsOf(spec, values, around);
    if ('problem' in outputs) return hopeless(facts, path, 'OutputsFailed', outputs.problem);
    return { phase: 'Succeeded', reason, message, attempts, startedAt, finishedAt, outputs: outputs.value };
  };
  if (word?.verdict === 'approve') {
    return passed({ ...word.values, approvedBy: word.by }, 'Approved', word.message ?? `Approved by ${word.by}.`);
  }
  const deadline = waitMs === undefined ? undefined : startedAt + waitMs;
  if (deadline !== undefined && deadline <= facts.now) {
    if (waited !== undefined) return passed({}, 'TimePassed', waited);
    if (onTimeout === 'Approve') return passed({}, 'TimedOut', 'Nobody answered in time, which approves it.');
    const phase = onTimeout === 'Skip' ? 'Skipped' : 'Failed';
    return { phase, reason: 'TimedOut', message: 'Nobody answered in time.', attempts, startedAt, finishedAt };
  }
  return {
    phase: 'Suspended',
    ...says,
    attempts,
    startedAt,
    turn: { type: 'suspended' },
    ...(deadline === undefined ? {} : { deadline }),
  };
}
