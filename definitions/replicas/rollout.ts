import type { InstanceRevision } from '../core/instance.ts';
import type { View } from '../core/plan.ts';
import { ROLLOUT } from './lanes.ts';
import { type Member, short } from './members.ts';
import type { Replicated } from './replicated.ts';
import type { ReplicasFacts, RolloutReport } from './report.ts';

/** What somebody said about the rollout, beside the spec. */
interface Word {
  readonly paused: boolean;
  /** Workflow time, ms. */
  readonly at: number;
}

/** Where the takeover is heading, and whether it may go on. */
export interface Course {
  /** What shall run in the end: the spec's revision, or after a failed update the one before. */
  readonly heading: InstanceRevision | undefined;
  readonly frozen: boolean;
  /** The spec's own revision has failed. */
  readonly failed: 'Failed' | 'RolledBack' | undefined;
  readonly paused: boolean;
}

/** By the spec or by the command. */
export function isPaused({ observed }: Pick<View, 'observed'>, isPausedBySpec: boolean | undefined): boolean {
  return isPausedBySpec || (wordOf(observed)?.paused ?? false);
}

export const hasFailed = ({ rollout }: Partial<ReplicasFacts> = {}): boolean =>
  rollout?.state === 'Failed' || rollout?.state === 'RolledBack';

const wordOf = (observed: View['observed']): Word | undefined => observed[ROLLOUT]?.value as Word | undefined;

/** An update that failed stays failed until another spec comes or somebody resumes it. */
export function courseOf(
  view: View<unknown>,
  { paused: isPausedBySpec, strategy }: Replicated,
  facts: Partial<ReplicasFacts>,
  target: InstanceRevision | undefined,
  stable: InstanceRevision | undefined,
): Course {
  const word = wordOf(view.observed);
  const paused = isPaused(view, isPausedBySpec);
  const { rollout } = facts;
  const isFailed =
    hasFailed(facts) &&
    rollout?.digest === target?.digest &&
    !(word?.paused === false && word.at > Date.parse(rollout?.progressedAt ?? ''));
  if (isFailed && stable && stable.digest !== target?.digest) {
    const isBack = strategy.onFailure === 'Rollback';
    return { heading: isBack ? stable : target, frozen: !isBack || paused, failed: isBack ? 'RolledBack' : 'Failed', paused };
  }
  return { heading: target ?? stable, frozen: paused || !target, failed: isFailed ? 'Failed' : undefined, paused };
}

export interface Progress {
  readonly report: RolloutReport | undefined;
  /** When it has failed if nothing comes nearer until then. */
  readonly deadline?: number;
}

/** How far the takeover is; the clock stands still while it is paused and once it is complete. */
export function progressOf(
  view: View<unknown>,
  { strategy, replicas }: Replicated,
  facts: Partial<ReplicasFacts>,
  {
    members,
    target,
    course,
    isComplete,
    isDisproved = false,
  }: {
    members: readonly Member[];
    target: InstanceRevision | undefined;
    course: Course;
    isComplete: boolean;
    /** It had taken over, and does not work. */
    isDisproved?: boolean;
  },
): Progress {
  if (!target) return { report: facts.rollout };
  const { digest } = target;
  const updated = members.filter((member) => member.digest === digest && member.available).length;
  const outdated = members.filter((member) => member.digest !== digest).length;
  const works = members.some(({ available }) => available);
  const before = facts.rollout?.digest === digest ? facts.rollout : undefined;
  const counts = { digest, updated, outdated, ...(course.paused ? { paused: true as const } : {}) };
  const since = before ? Date.parse(before.progressedAt) : view.now;
  const at = (time: number) => ({ progressedAt: new Date(time).toISOString() });
  if (isDisproved) {
    return { report: { state: 'Failed', ...counts, tookOver: true, message: failure(digest, 'Failed', true, works), ...at(view.now) } };
  }
  if (isComplete || (before?.state === 'Complete' && outdated === 0)) {
    const message = `Revision ${short(digest)} has taken over.`;
    const isNews = before?.state !== 'Complete';
    const from = isNews ? facts.currentRevision : before.from;
    const origin = from && from.digest !== digest ? { from } : {};
    return { report: { state: 'Complete', ...counts, message, ...origin, ...at(isNews ? view.now : since) } };
  }
  if (course.failed) {
    const tookOver = before?.tookOver ?? false;
    const message = failure(digest, course.failed, tookOver, works);
    return { report: { state: course.failed, ...counts, ...(tookOver ? { tookOver } : {}), message, ...at(since) } };
  }
  const words = `${updated} of ${replicas} run revision ${short(digest)}${outdated > 0 ? `, ${outdated} an earlier one` : ''}.`;
  if (course.paused) {
    const pausedAt = before?.state === 'Paused' ? since : view.now;
    return { report: { state: 'Paused', ...counts, message: `Paused: ${words}`, ...at(pausedAt) } };
  }
  const isNearer = before?.state !== 'Progressing' || updated > before.updated || outdated < before.outdated;
  const progressedAt = isNearer ? view.now : since;
  const deadline = progressedAt + strategy.progressDeadlineSeconds * 1000;
  if (deadline > view.now) return { report: { state: 'Progressing', ...counts, message: words, ...at(progressedAt) }, deadline };
  return { report: { state: 'Failed', ...counts, message: failure(digest, 'Failed', false, works), ...at(view.now) } };
}

function failure(digest: string, state: 'Failed' | 'RolledBack', tookOver: boolean, works: boolean): string {
  const what = tookOver ? 'ended again and again as soon as it had taken over' : 'did not get ready in time';
  const isBack = state === 'RolledBack';
  const left = works ? 'what works was left alone' : 'nothing works now';
  const then = isBack ? 'what worked before was brought back' : tookOver ? 'nothing more is replaced' : left;
  return `Revision ${short(digest)} ${what}; ${then}.`;
}
