import { bringChildren, CHILDREN, forgottenChildren, removeChildren } from '../core/children.ts';
import { isSame } from '../core/diff.ts';
import type { ChildRef, ChildWish } from '../core/family.ts';
import type { Plan, View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import { conditionsOf, type Findings, phaseOf, readyComponents } from './conditions.ts';
import { farewell, leftBehind } from './farewell.ts';
import { formerGoalOf, type Goal, goalOf, isAllReady, isBegun, leftoversOf, problemOf, wishedOf } from './goal.ts';
import { isOrphan, rememberedOf, wavesOfLeaving } from './inventory.ts';
import { advanced, deadlineOf, isHeld, policyOf, RELEASE, releaseOf, type Word } from './release.ts';
import { type Doing, leftoverReports, outputsOf, reportsOf, valuesOf } from './report.ts';
import type { ApplicationSpec, ApplicationStatus, InventoryEntry, Release } from './schema.ts';
import { newcomersOf, wayBack } from './way-back.ts';

/** Where an application is heading now. */
interface Course extends Doing {
  /** Children that go now. */
  readonly leaving: readonly ChildRef[];
  /** Children that no component wants and that stay for now. */
  readonly staying: readonly ChildRef[];
}

/**
 * Compares the components with the resources that stand for them.
 *
 * Guarantees: pure; nothing is applied before everybody it needs is ready at what is wished of them; what exists is left
 * as it is while its needs are not ready, and goes only when everything wished is ready; those that need others go first.
 * An empty step list and no `wakeAt` mean that everything is as wished, or that only the components themselves can go on.
 */
export function plan(view: View<ApplicationSpec>): Plan {
  const facts = (view.status ?? {}) as Partial<ApplicationStatus>;
  if (view.deleting) return farewell(view, facts);
  const course = courseOf(view, facts);
  const { release, goal } = course;
  const inventory = rememberedOf(view, facts.inventory ?? [], course);
  const steps = isHeld(view) ? [] : stepsOf(view, course, inventory);
  const isReached = release.phase === 'Complete' && isAllReady(goal);
  const stableGeneration = isReached ? view.metadata.generation : facts.stableGeneration;
  const stableValues = isReached ? valuesOf(view, goal) : facts.stableValues;
  const { outputs, missing } = outputsOf(view, goal);
  const reports = reportsOf(view, course);
  const findings: Findings = {
    release,
    reports,
    undecided: goal.components.map(({ name }) => name).filter((name) => goal.resolved.get(name)?.state === 'waiting'),
    untold: missing,
    obstacles: wishedOf(goal).flatMap(({ component: { name }, wish }) => {
      const problem = problemOf(view, wish);
      return problem ? [{ name, reason: problem.reason }] : [];
    }),
    leaving: course.leaving.length,
    isSuspended: view.spec.suspend === true,
    isAllReady: isAllReady(goal),
    stableGeneration,
  };
  const conditions = conditionsOf(findings);
  const phase = phaseOf(findings, conditions);
  const status: ApplicationStatus = {
    readyComponents: readyComponents(reports),
    components: [
      ...reports,
      ...leftoverReports(view, course.leaving, 'Leaving'),
      ...leftoverReports(view, course.staying, view.spec.prune ? 'Leaving' : 'Kept'),
    ],
    ...(view.spec.outputs ? { outputs } : {}),
    release,
    ...(stableGeneration === undefined ? {} : { stableGeneration }),
    ...(stableValues === undefined || Object.keys(stableValues).length === 0 ? {} : { stableValues }),
    inventory: [...inventory],
  };
  const isMoving = release.phase === 'Progressing' || release.phase === 'RollingBack';
  const isApplying = steps.some(({ about }) => about === CHILDREN);
  return {
    steps,
    status: status as unknown as JsonObject,
    conditions,
    phase,
    ...(isApplying ? {} : { observedGeneration: view.metadata.generation }),
    ...(isMoving && !isHeld(view) ? { wakeAt: deadlineOf(view, release) } : {}),
    ...(isDetail(view, { ...status, phase }, conditions) ? { inDetail: true } : {}),
    forget: forgottenChildren(view),
    leftBehind: leftBehind(view),
  };
}

function courseOf(view: View<ApplicationSpec>, facts: Partial<ApplicationStatus>): Course {
  const current = goalOf(view, view.spec);
  const stable = facts.stableGeneration === view.metadata.generation ? undefined : (view.stableSpec as ApplicationSpec | undefined);
  const earlier = releaseOf(view, facts);
  if (earlier.phase === 'RolledBack' && stable) return takenBack(view, earlier, current, goalOf(view, stable));
  const canGoBack = stable !== undefined && policyOf(view.spec).onFailure === 'Rollback';
  const release = earlier.phase === 'RollingBack' && stable ? earlier : advanced(view, earlier, current, canGoBack);
  if (release.phase === 'RollingBack' && stable) {
    const former = formerGoalOf(view, stable, facts);
    const back = wayBack(view, release, { failed: current, former, entries: facts.inventory ?? [] });
    return { release: back.release, goal: former, wishes: back.wishes, leaving: back.leaving, staying: [] };
  }
  const wishes = wishedOf(current).map(({ wish }) => wish);
  const leftovers = leftoversOf(view, current);
  const isGoing = view.spec.prune && release.phase === 'Complete' && isAllReady(current);
  return {
    release,
    goal: current,
    wishes: release.phase === 'Failed' ? wishes.filter((wish) => isBegun(view, wish)) : wishes,
    leaving: isGoing ? leftovers : [],
    staying: isGoing ? [] : leftovers,
  };
}

/** The last good set is looked after like any other; what the failed release left is taken away. */
function takenBack(view: View<ApplicationSpec>, release: Release, failed: Goal, goal: Goal): Course {
  return { release, goal, wishes: wishedOf(goal).map(({ wish }) => wish), leaving: newcomersOf(view, failed, goal), staying: [] };
}

/** There is one lane for children: they are brought first, and go when nobody has to be brought. */
function stepsOf(view: View<ApplicationSpec>, { wishes, leaving }: Course, inventory: readonly InventoryEntry[]): readonly Step[] {
  const bringing = bringChildren(view, triedAgain(view, wishes));
  if (leaving.length === 0 || bringing.some(({ about }) => about === CHILDREN)) return bringing;
  const released = leaving.filter((child) => isOrphan(inventory, child));
  const going = leaving.filter((child) => !isOrphan(inventory, child));
  return [...bringing, ...removeChildren(view, { waves: wavesOfLeaving(going, inventory), released })];
}

/** What was refused is not tried again by itself; when somebody asks for it, it is a new wish. */
function triedAgain(view: View<ApplicationSpec>, wishes: readonly ChildWish[]): readonly ChildWish[] {
  const { retriedAt = 0 } = (view.observed[RELEASE]?.value ?? {}) as Partial<Word>;
  if (retriedAt <= (view.observed[CHILDREN]?.at ?? 0)) return wishes;
  return wishes.map((wish) => (problemOf(view, wish)?.reason === 'Refused' ? { ...wish, digest: `${wish.digest}+${retriedAt}` } : wish));
}

/** Only how the components are has changed, and nothing that anybody decides by. */
function isDetail(view: View<ApplicationSpec>, status: JsonObject, conditions: Plan['conditions']): boolean {
  const { components: _now, ...now } = status;
  const { components: _then, conditions: before = [], observedGeneration, ...then } = view.status ?? {};
  if (observedGeneration !== view.metadata.generation) return false;
  const isSaid = (conditions ?? []).every(({ type, status: is, reason }) =>
    before.some((one) => one.type === type && one.status === is && one.reason === reason),
  );
  return isSaid && isSame(now, then);
}
