import { isFinal } from '../core/patience.ts';
import type { Failing } from '../core/step.ts';
import type { ProblemReport, ReplicasFacts } from './report.ts';
import type { Target } from './revisions.ts';

/** When what is in the way is tried again. A time that has passed means that it is being tried; none, that it waits for somebody. */
export function nextTryOf(
  { problem, askAt }: Target,
  failing: Failing | undefined,
  problems: readonly ProblemReport[],
): Pick<ReplicasFacts, 'nextTryTime'> {
  if (problem && askAt !== undefined) return { nextTryTime: new Date(askAt).toISOString() };
  if (failing) return isTriedAgain(failing) ? { nextTryTime: new Date(failing.retryAt).toISOString() } : {};
  const [first] = problems.map(({ nextTryTime }) => nextTryTime).sort();
  return first ? { nextTryTime: first } : {};
}

/** A step that nobody took is in the air, and stays there until somebody comes. */
const isTriedAgain = (failing: Failing): boolean => failing.reason !== 'ExecutorUnavailable' && !isFinal(failing);
