import type { JsonObject } from '../core/resource.ts';
import type { StepSpec } from '../flows/schema.ts';
import { type Facts, timeOf } from './facts.ts';
import type { Around, Node } from './node.ts';
import type { StepStatus } from './schema.ts';
import { fill } from './scope.ts';

/** How a leaf stands, without what it is. */
export type Standing = Pick<
  Node,
  | 'phase'
  | 'reason'
  | 'message'
  | 'startedAt'
  | 'finishedAt'
  | 'attempts'
  | 'outputs'
  | 'isCached'
  | 'turn'
  | 'deadline'
  | 'attemptAt'
  | 'retryAt'
>;

/** Once it has ended for a reason that no lane tells, what was shown stays. */
export function shown({ phase, reason, message, startedAt, finishedAt, attempts = 1, outputs }: StepStatus): Standing {
  const [from, to] = [timeOf(startedAt), timeOf(finishedAt)];
  return {
    phase,
    attempts,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(from === undefined ? {} : { startedAt: from }),
    ...(to === undefined ? {} : { finishedAt: to }),
    ...(outputs === undefined ? {} : { outputs }),
  };
}

/** A step that cannot be done as it is written. */
export function hopeless(facts: Facts, path: string, reason: string, message: string): Standing {
  const attempts = facts.baseOf(path) + 1;
  return { phase: 'Failed', reason, message, attempts, finishedAt: timeOf(facts.entryOf(path)?.finishedAt) ?? facts.now };
}

/** What a step says to others: what its spec picks, else all of an object, else the result by that name. */
export function outputsOf(spec: StepSpec, value: unknown, around: Around): { readonly value: JsonObject } | { readonly problem: string } {
  if (spec.outputs) {
    const filled = fill(spec.outputs, around, { result: value ?? {} });
    return 'problem' in filled ? { problem: `outputs: ${filled.problem}` } : { value: filled.value as JsonObject };
  }
  if (value === null || value === undefined) return { value: {} };
  return { value: typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : { result: value } };
}
