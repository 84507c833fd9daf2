import { CHILDREN, childProblemsOf, inventoryOf, isChildReady, laneOf, newsOf } from '../core/children.ts';
import type { ChildProblem, ChildRef, ChildWish } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import { finalFailures } from '../handled/contract.ts';
import { type Component, childNameOf, componentsOf } from './component.ts';
import { childNews, liveSource, rememberedSource } from './live.ts';
import { type Resolved, resolve } from './resolve.ts';
import type { ApplicationSpec, ApplicationStatus } from './schema.ts';

/** What a spec comes to now: every component with what shall be of it. */
export interface Goal {
  readonly spec: ApplicationSpec;
  readonly components: readonly Component[];
  readonly resolved: ReadonlyMap<string, Resolved>;
}

/** A component that something is wished of. */
export interface Wished {
  readonly component: Component;
  readonly wish: ChildWish;
  readonly isReady: boolean;
}

type Seen = Pick<View, 'observed' | 'metadata'>;

/** The goal by what components tell now. */
export function goalOf(view: Seen, spec: ApplicationSpec): Goal {
  const components = componentsOf(spec);
  return { spec, components, resolved: resolve(view, components, liveSource(view, spec.params ?? {})) };
}

/** The goal as it was when all were ready: filled in with what components told each other then. */
export function formerGoalOf(view: Seen, spec: ApplicationSpec, { stableValues = {} }: Partial<ApplicationStatus>): Goal {
  const components = componentsOf(spec);
  const params = spec.params ?? {};
  const live = liveSource(view, params);
  const resolved = new Map<string, Resolved>();
  for (const [name, one] of resolve(view, components, rememberedSource(view, params, stableValues))) {
    const component = components.find((other) => other.name === name) as Component;
    resolved.set(name, one.state === 'wished' ? { ...one, isReady: live.isReady(component, one.wish) } : one);
  }
  return { spec, components, resolved };
}

export function wishedOf({ components, resolved }: Goal): readonly Wished[] {
  return components.flatMap((component) => {
    const one = resolved.get(component.name);
    return one?.state === 'wished' ? [{ component, wish: one.wish, isReady: one.isReady }] : [];
  });
}

/** Those that are wanted, or may be. */
export const wantedOf = ({ components, resolved }: Goal): readonly Component[] =>
  components.filter(({ name }) => resolved.get(name)?.state !== 'skipped');

export const isAllReady = (goal: Goal): boolean =>
  wantedOf(goal).every(({ name }) => {
    const one = goal.resolved.get(name);
    return one?.state === 'wished' && one.isReady;
  });

/** Whether a child is the resource of that component. */
export const isOf = (child: ChildRef, { name, given }: Component, { metadata }: Seen): boolean =>
  child.key === name &&
  child.kind === given.kind &&
  child.name === childNameOf(metadata.name, name) &&
  (given.apiVersion === undefined || given.apiVersion === child.apiVersion);

/** The resource of a component, in whatever state. */
export const childOfComponent = (view: Seen, component: Component): ChildRef | undefined =>
  inventoryOf(view).find((child) => isOf(child, component, view));

/** Children that no component wants. */
export function leftoversOf(view: Seen, goal: Goal): readonly ChildRef[] {
  const wanted = wantedOf(goal);
  return inventoryOf(view).filter((child) => !wanted.some((component) => isOf(child, component, view)));
}

export const problemOf = (view: Seen, { key, digest }: ChildWish): ChildProblem | undefined =>
  childProblemsOf(view).find((problem) => problem.key === key && problem.digest === digest);

const WAITED_FOR: readonly ChildProblem['reason'][] = ['KindUnknown', 'KindAmbiguous', 'GoingAway'];

/** Whether a component waits because of such a problem, and goes on without a word to the one that is in its place. */
export const isWaitedFor = (reason: ChildProblem['reason']): boolean => WAITED_FOR.includes(reason);

/** Reasons by which a resource says that it has given up, until somebody changes it. */
const GIVEN_UP: readonly string[] = ['ProgressDeadlineExceeded', 'RolledBack', 'ReleaseFailed', 'Failed', ...finalFailures];

/**
 * Why waiting for this component does not help, one sentence without its end; undefined while it may.
 *
 * What was known before `since` is nothing that a release which began then is to blame for.
 */
export function failureOf(view: Seen, { component, wish }: Wished, since: number): string | undefined {
  const isNew = (lane: string): boolean => (view.observed[lane]?.at ?? 0) >= since;
  const problem = problemOf(view, wish);
  if (problem?.reason === 'Refused' && isNew(CHILDREN)) return `${component.name} was refused: ${bare(problem.message)}`;
  const news = childNews(view, wish);
  const isCurrent = news !== undefined && (news.observedGeneration ?? 0) >= news.generation && isAtWish(view, wish, news.generation);
  if (!isCurrent || !isNew(laneOf(news.id)) || news.ready !== 'False' || !GIVEN_UP.includes(news.reason)) return undefined;
  return `${component.name} has failed: ${bare(news.message)}`;
}

function isAtWish(view: Seen, { key, digest }: ChildWish, generation: number): boolean {
  const child = inventoryOf(view).find((one) => one.key === key && one.digest === digest);
  return child !== undefined && generation >= (child.generation ?? 0);
}

/** Whether something was begun for this very wish. */
export const isBegun = (view: Seen, { key, digest, manifest }: ChildWish): boolean =>
  problemOf(view, { key, digest, manifest }) !== undefined ||
  inventoryOf(view).some((child) => child.key === key && child.kind === manifest.kind && child.digest === digest);

/** Whether a child is ready as it was last applied, whatever is wished of it now. */
export function isReadyAsApplied(view: Seen, child: ChildRef | undefined): boolean {
  if (!child?.digest || child.key === undefined) return false;
  const manifest = { apiVersion: child.apiVersion, kind: child.kind, metadata: { name: child.name } };
  return isChildReady(view, { key: child.key, digest: child.digest, manifest }) && newsOf(view, child.id)?.deleting !== true;
}

/** A sentence inside another one has no full stop. */
export const bare = (text: string): string => text.replace(/[.\s]+$/, '');
