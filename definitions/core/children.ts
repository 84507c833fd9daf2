import { digestOf } from './digest.ts';
import type { ChildNews, ChildProblem, ChildRef, ChildrenSeen, ChildWish } from './family.ts';
import { HEARTBEAT_MS, patience } from './patience.ts';
import type { View } from './plan.ts';
import type { JsonObject } from './resource.ts';
import type { Step } from './step.ts';

/** The lane of what a resource has made of other resources. */
export const CHILDREN = 'children';
/** The lane of the quiet wait until what stands in the way of a child is gone. */
const OBSTACLES = 'children/obstacles';
const APPLY_MS = 5 * 60_000;
const REMOVE_MS = 60_000;
const LOOK_MS = 30_000;

type Seen = Pick<View, 'observed'>;

/** The children there are, oldest first, as the last step of their lane left them; deletion goes by this, not by the spec. */
export function inventoryOf(view: Seen): readonly ChildRef[] {
  return seenOf(view)?.children ?? [];
}

/** What could not be done of the last wishes, and why. */
export function childProblemsOf(view: Seen): readonly ChildProblem[] {
  return seenOf(view)?.problems ?? [];
}

/** What a child last told of itself. */
export function newsOf({ observed }: Seen, id: string): ChildNews | undefined {
  return observed[laneOf(id)]?.value as ChildNews | undefined;
}

/** The lane of a child's news. */
export const laneOf = (id: string): string => `child/${id}`;

/** All children that ever told something, also those that the owner did not make itself. */
export function allNewsOf({ observed }: Seen): readonly ChildNews[] {
  return Object.keys(observed)
    .filter((lane) => lane.startsWith('child/'))
    .map((lane) => observed[lane]?.value as ChildNews);
}

/** What an owner wants of a child, ready to be wished. */
export function wishOf(key: string, manifest: JsonObject): ChildWish {
  return { key, manifest, digest: digestOf(manifest) };
}

/** The child that a wish made, whatever state of the wish it is in. */
export function childOf(view: Seen, { key, manifest }: Pick<ChildWish, 'key' | 'manifest'>): ChildRef | undefined {
  const { name } = manifest.metadata as { readonly name?: string };
  return inventoryOf(view).find(
    (child) =>
      child.key === key &&
      child.kind === manifest.kind &&
      child.name === name &&
      (manifest.apiVersion === undefined || child.apiVersion === manifest.apiVersion),
  );
}

/** Whether the child of a wish is as wished: brought there, and neither changed by somebody else since nor gone. */
export function isBrought(view: Seen, wish: ChildWish): boolean {
  const child = childOf(view, wish);
  return child?.digest === wish.digest && !hasStrayed(view, child);
}

/** Whether a child is ready at the very state that its owner wished. */
export function isChildReady(view: Seen, wish: ChildWish): boolean {
  const child = childOf(view, wish);
  const news = child && newsOf(view, child.id);
  return isBrought(view, wish) && news?.uid === child?.uid && news?.ready === 'True' && news.generation >= (child?.generation ?? 0);
}

function hasStrayed(view: Seen, child: ChildRef): boolean {
  const news = newsOf(view, child.id);
  if (!news || news.uid !== child.uid) return false;
  return news.gone === true || (child.generation !== undefined && news.generation > child.generation);
}

/**
 * The steps that bring children to what is wished of them; none when all are there.
 *
 * Children that are not named stay as they are. What stands in the way of one (its kind is not registered, its name is taken)
 * is waited for quietly in a lane of its own, and does not hold back the others.
 */
export function bringChildren(view: View, wishes: readonly ChildWish[]): readonly Step[] {
  const open = wishes.filter((wish) => !isBrought(view, wish));
  if (open.length === 0) return [];
  const problems = childProblemsOf(view);
  const isTried = ({ key, digest }: ChildWish) => problems.some((problem) => problem.key === key && problem.digest === digest);
  const isLookedInto = (view.observed[OBSTACLES]?.at ?? -1) > (view.observed[CHILDREN]?.at ?? -1);
  const due = isLookedInto ? open : open.filter((wish) => !isTried(wish));
  const blocked = open.filter(({ key }) => problems.some((problem) => problem.key === key && problem.reason !== 'Refused'));
  if (due.length > 0) return [applyStep(view, due)];
  return blocked.length > 0 ? [obstacleStep(view, blocked)] : [];
}

function applyStep(view: View, due: readonly ChildWish[]): Step {
  const since = view.observed[CHILDREN]?.at ?? 0;
  const key = `children/${digestOf(due.map(({ key, digest }) => [key, digest]))}@${since}`;
  const { retry, ...limit } = patience(view, CHILDREN, key, APPLY_MS);
  return {
    key,
    about: CHILDREN,
    activity: 'applyChildren',
    reason: 'ApplyingChildren',
    summary: `apply ${due.length === 1 ? (due[0]?.key ?? '') : `${due.length} children`}`,
    input: { apiVersion: view.apiVersion, kind: view.kind, wishes: due, inventory: inventoryOf(view), problems: childProblemsOf(view) },
    with: ['metadata'],
    timeouts: { ...limit, startToCloseMs: APPLY_MS, heartbeatMs: HEARTBEAT_MS },
    retry,
  };
}

function obstacleStep(view: View, blocked: readonly ChildWish[]): Step {
  const key = `obstacles/${digestOf(blocked.map(({ key, digest }) => [key, digest]))}@${view.observed[CHILDREN]?.at ?? 0}`;
  const { firstRetryMs } = view.tuning;
  return {
    key,
    about: OBSTACLES,
    activity: 'awaitChildren',
    reason: 'WaitingForChildren',
    summary: `wait until ${blocked.map(({ key }) => key).join(', ')} can be made`.slice(0, 200),
    input: { apiVersion: view.apiVersion, kind: view.kind, wishes: blocked },
    with: ['metadata'],
    timeouts: { startToCloseMs: LOOK_MS, heartbeatMs: HEARTBEAT_MS },
    retry: { maximumAttempts: 0, initialIntervalMs: firstRetryMs, maximumIntervalMs: 10 * firstRetryMs },
  };
}

/** What shall become of children that are not wanted any more. */
export interface Farewell {
  /** Waves, in the order in which they go; each waits until the one before it is gone. */
  readonly waves: readonly (readonly ChildRef[])[];
  /** These stay, and belong to nobody afterwards. */
  readonly released?: readonly ChildRef[];
  /** Also all others that call this resource their owner: some may be there that a failed step could not report. */
  readonly all?: boolean;
  /** The owner does not wait for the last wave: it is told to go and goes by itself. */
  readonly inBackground?: boolean;
}

/** The step that lets children go; none when nobody is left to go. */
export function removeChildren(view: View, { waves, released = [], all = false, inBackground = false }: Farewell): readonly Step[] {
  const leaving = waves.filter((wave) => wave.length > 0);
  const named = [leaving.map((wave) => wave.map(({ uid }) => uid)), released.map(({ uid }) => uid)];
  const key = `childrenGone/${all ? 'all' : digestOf(named)}`;
  if ((leaving.length === 0 && released.length === 0 && !all) || view.observed[CHILDREN]?.key === key) return [];
  const { retry, ...limit } = patience(view, CHILDREN, key, REMOVE_MS);
  return [
    {
      key,
      about: CHILDREN,
      activity: 'removeChildren',
      reason: 'RemovingChildren',
      summary: all ? 'delete all children' : `delete ${leaving.flat().map(({ name }) => name)}`.slice(0, 200),
      input: { kind: view.kind, waves: leaving, released, inventory: inventoryOf(view), all, inBackground },
      with: ['metadata'],
      timeouts: { ...limit, startToCloseMs: REMOVE_MS, heartbeatMs: HEARTBEAT_MS },
      retry,
    },
  ];
}

/** Lanes of children that are gone and that nobody asks for any more. */
export function forgottenChildren(view: Seen): readonly string[] {
  const known = new Set(inventoryOf(view).map(({ id }) => laneOf(id)));
  return allNewsOf(view)
    .filter(({ id, gone }) => gone && !known.has(laneOf(id)))
    .map(({ id }) => laneOf(id));
}

const seenOf = ({ observed }: Seen): ChildrenSeen | undefined => (observed[CHILDREN]?.value ?? undefined) as ChildrenSeen | undefined;
