import { annotations } from '../core/annotations.ts';
import type { View } from '../core/plan.ts';
import { shorten } from '../core/quote.ts';
import { bare, failureOf, type Goal, isAllReady, isBegun, wantedOf, wishedOf } from './goal.ts';
import type { ApplicationSpec, ApplicationStatus, Release, UpdatePolicy } from './schema.ts';
import { culpritsOf } from './trouble.ts';

/** The lane of what somebody said about the release, beside the spec. */
export const RELEASE = 'release';

/** What somebody said about the release. */
export interface Word {
  /** When it was asked to try again, ms. */
  readonly retriedAt: number;
}

const iso = (time: number): string => new Date(time).toISOString();

export const policyOf = ({ updatePolicy }: ApplicationSpec): UpdatePolicy =>
  updatePolicy ?? { onFailure: 'Pause', progressDeadlineSeconds: 600 };

/** The release of the spec in force: a newer spec begins a new one, and so does the word to try again after a failure. */
export function releaseOf(view: View<ApplicationSpec>, { release }: Partial<ApplicationStatus>): Release {
  const { generation } = view.metadata;
  const { retriedAt = 0 } = (view.observed[RELEASE]?.value ?? {}) as Partial<Word>;
  const isAgain = release !== undefined && hasFailed(release) && retriedAt > Date.parse(release.startedAt);
  if (release?.generation === generation && !isAgain) return release;
  const now = iso(Math.max(view.now, retriedAt));
  return { generation, phase: 'Progressing', startedAt: now, progressedAt: now, ready: 0, message: '' };
}

export const hasFailed = ({ phase }: Pick<Release, 'phase'>): boolean => phase === 'Failed' || phase === 'RolledBack';

/** Whether nothing may be begun because somebody said so; the clock stands still meanwhile. */
export const isHeld = ({ spec, metadata }: View<ApplicationSpec>): boolean =>
  spec.suspend === true || metadata.annotations[annotations.paused] === 'true';

/** When a release has failed if it comes no nearer until then. */
export const deadlineOf = (view: View<ApplicationSpec>, { progressedAt }: Release): number =>
  Date.parse(progressedAt) + policyOf(view.spec).progressDeadlineSeconds * 1000;

/**
 * How far a release is that goes forward; what goes back is judged by the way back.
 *
 * A failed one goes on by itself once everything that it had begun is ready and there is something to go on with.
 */
export function advanced(view: View<ApplicationSpec>, release: Release, goal: Goal, canGoBack: boolean): Release {
  const wished = wishedOf(goal);
  const ready = wished.filter(({ isReady }) => isReady).length;
  const count = `${ready} of ${wantedOf(goal).length} components are ready`;
  if (release.phase === 'Complete') return release;
  if (isAllReady(goal)) {
    return {
      ...release,
      phase: 'Complete',
      ready,
      progressedAt: iso(view.now),
      message: `All components were ready at generation ${release.generation}.`,
    };
  }
  if (isHeld(view)) return { ...release, progressedAt: iso(view.now), message: `Held: ${count}.` };
  const begun = wished.filter(({ wish }) => isBegun(view, wish));
  const isMended = release.phase === 'Failed' && begun.length < wished.length && begun.every(({ isReady }) => isReady);
  if (release.phase === 'Failed' && !isMended) return release;
  const failed = wished.flatMap((one) => failureOf(view, one, Date.parse(release.startedAt)) ?? []);
  const [failure] = [...failed, ...brokenOf(goal)];
  const isNearer = isMended || ready > release.ready;
  const next: Release = {
    ...release,
    phase: 'Progressing',
    ready: Math.max(ready, release.ready),
    progressedAt: isNearer ? iso(view.now) : release.progressedAt,
    message: `${count}.`,
  };
  const why = failure ?? (deadlineOf(view, next) <= view.now ? late(view, goal) : undefined);
  if (why === undefined) return next;
  const message = canGoBack ? `${why}; everything goes back.` : `${why}; nothing further is begun until that is mended.`;
  return { ...next, phase: canGoBack ? 'RollingBack' : 'Failed', progressedAt: iso(view.now), message };
}

/** Texts that cannot be computed, and that waiting does not help. */
const brokenOf = ({ resolved }: Goal): readonly string[] =>
  [...resolved].flatMap(([name, one]) => (one.state === 'waiting' && one.isBroken ? [`${name} cannot be made: ${bare(one.message)}`] : []));

const SHOWN = 5;
const SAID_CHARS = 300;

/** Who is to blame, with what each said last: after a way back nobody else knows that any more. */
function late(view: View<ApplicationSpec>, goal: Goal): string {
  const culprits = culpritsOf(view, goal);
  const names = culprits.map(({ name }) => name);
  const rest = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  const isOne = culprits.length === 1;
  const said = culprits.flatMap(({ name, said: text }) => (text ? [isOne ? text : `${name}: ${text}`] : [])).join('; ');
  const why = said ? `: ${shorten(said, SAID_CHARS)}` : '';
  return `${names.slice(0, SHOWN).join(', ')}${rest} ${isOne ? 'was' : 'were'} not ready in time${why}`;
}
