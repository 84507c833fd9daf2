import { digestOf } from '../core/digest.ts';
import type { DelegatedWish, InstanceProblem, InstanceRevision, InstanceWish, Sighting } from '../core/instance.ts';
import { patience } from '../core/patience.ts';
import type { View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import type { Template } from '../core/template.ts';
import { conditionsOf } from './conditions.ts';
import { laneOf, queueOf } from './lanes.ts';
import { type Member, type NodeSighting, short, sightings } from './members.ts';
import type { Replicated, Strategy } from './replicated.ts';
import type { ProblemReport, ReplicasFacts, ReplicasReport } from './report.ts';
import { reportsOf, revisionReport } from './reports.ts';
import { stableOf, startLimit, targetOf } from './revisions.ts';
import { type Course, courseOf, progressOf } from './rollout.ts';

/** What was last handed over, so that it is remembered when news of the instances come. */
export interface HandOver {
  /** Hash of revision, replicas and strategy. */
  readonly wish: string;
  /** ISO; of the last time. */
  readonly at: string;
  /** How often the same wish was handed over because something was missing or changed. */
  readonly again: number;
}

interface DelegatedFacts extends ReplicasFacts {
  readonly handedOver?: HandOver;
}

const SYNC_MS = 30 * 60_000;
const HEARTBEAT_MS = 5_000;
const WAIT_READY_MS = 10_000;
const FIRST_AGAIN_MS = 30_000;
/** Nothing at all is there: somebody has deleted what we made. */
const FIRST_IF_NONE_MS = 1_000;
const LONGEST_AGAIN_MS = 5 * 60_000;

/**
 * The planner's branch for a runtime that replaces, heals and scales by itself: the wish is handed over once per change, and
 * Ready is read from what is seen then.
 *
 * Guarantees: pure; no step while what was handed over is being reached. Should instances stay too few or too many, or be
 * changed by hand (somebody deleted or edited what we made), the same wish is handed over again, ever more rarely.
 */
export function planDelegated(view: View<unknown>, wish: Replicated, templateOf: (spec: unknown) => Template): ReplicasReport {
  const facts = (view.status ?? {}) as Partial<DelegatedFacts>;
  const node = wish.nodes[0] ?? facts.nodes?.[0] ?? view.tuning.defaultNode ?? 'node';
  const target = targetOf(view, wish, node);
  const stable = stableOf(view, facts, templateOf);
  const course = courseOf(view, wish, facts, target.revision, stable);
  const seen = sightings(view);
  const members = seen.flatMap((sighting) => membersIn(sighting, view.now, wish.strategy));
  const heading = course.heading as InstanceRevision;
  const unseen = seen.filter(({ unreachable }) => unreachable !== undefined);

  const delegated = delegatedOf(wish, course);
  const print = short(digestOf([heading.digest, delegated, node]));
  const isMatched = members.length === wish.replicas && members.every((one) => one.digest === heading.digest && !one.handEdited);
  const past = pastOf(view, facts, members, node, print, isMatched);
  const isAsked = past.looks < view.nudge;
  const isDue = past.handedOver?.wish !== print || isAsked || (past.nextAt !== undefined && past.nextAt <= view.now);
  const isVisible = (place: string): boolean => !unseen.some((sighting) => sighting.node === place);
  const left = leftBehind(view, facts, seen, node);
  const steps = [
    ...left.filter(isVisible).map((place) => leaving(view, wish, place)),
    ...(isDue && isVisible(node) ? [handingOver(view, wish, node, print, heading, delegated)] : []),
  ];

  const isComplete =
    heading === target.revision && past.problems.length === 0 && isMatched && members.every(({ available }) => available) && !isDue;
  const progress = progressOf(view, wish, facts, { members, target: target.revision, course, isComplete });
  const current = isComplete ? revisionReport(heading) : facts.currentRevision;
  const stableGeneration = isComplete ? view.metadata.generation : facts.stableGeneration;
  const now: DelegatedFacts = {
    ...reportsOf(members, wish, heading),
    runtime: wish.template.runtime,
    nodes: [node, ...left],
    ...(current ? { currentRevision: current } : {}),
    targetRevision: revisionReport(target.revision ?? heading),
    ...(progress.report ? { rollout: progress.report } : {}),
    ...(stableGeneration === undefined ? {} : { stableGeneration }),
    ...(past.problems.length > 0 ? { problems: past.problems } : {}),
    ...(past.looks > 0 ? { looks: past.looks } : {}),
    ...(past.handedOver ? { handedOver: past.handedOver } : {}),
  };
  const isTurning = progress.report?.state === 'Failed' && course.failed === undefined && stable !== undefined;
  const times = [progress.deadline, past.nextAt, ...members.map(({ availableAt }) => availableAt)];
  const ahead = times.filter((time): time is number => time !== undefined && time > view.now);
  const isSeen = view.observed[laneOf(node)]?.generation === view.metadata.generation;
  const spokenOf = isSeen || steps.length === 0 ? view.metadata.generation : view.status?.observedGeneration;
  return {
    plan: {
      steps,
      conditions: conditionsOf({
        wish,
        facts: now,
        members,
        target,
        course,
        problems: [...past.problems, ...stuckOf(members, view.metadata.generation)],
        unseen,
        isSettled: isComplete && steps.length === 0,
      }),
      ...(spokenOf === undefined ? {} : { observedGeneration: spokenOf }),
      ...(isTurning ? { wakeAt: view.now + 1 } : ahead.length > 0 ? { wakeAt: Math.min(...ahead) } : {}),
      leftBehind: members.map(({ name, node: place }) => `Instance ${name} on node ${place}.`),
    },
    facts: now,
  };
}

function delegatedOf({ replicas, strategy, restart }: Replicated, { paused }: Course): DelegatedWish {
  const { type, maxSurge, maxUnavailable, minReadySeconds, progressDeadlineSeconds } = strategy;
  return {
    replicas,
    strategy: { type, maxSurge, maxUnavailable },
    minReadySeconds,
    progressDeadlineSeconds,
    paused,
    restart: restart.policy,
  };
}

/** The runtime remembers everything of its instances itself: nothing is carried over from the last pass. */
function membersIn({ node, instances }: NodeSighting, now: number, { minReadySeconds }: Strategy): Member[] {
  return instances.map((instance) => {
    const { ready, restarts = 0, exit } = instance;
    const readySince = ready ? Date.parse(instance.readyAt ?? instance.startedAt ?? '') || now : undefined;
    // The clock of the cluster is another one: it counts only where a time must pass.
    const availableAt = readySince === undefined || minReadySeconds === 0 ? undefined : readySince + minReadySeconds * 1000;
    return {
      ...instance,
      node,
      restarts,
      crashes: exit && !ready ? restarts : 0,
      ...(exit ? { lastExit: exit } : {}),
      ...(readySince === undefined ? {} : { readySince }),
      available: ready && (availableAt === undefined || availableAt <= now),
      ...(availableAt !== undefined && availableAt > now ? { availableAt } : {}),
      finished: false,
    };
  });
}

interface Past {
  readonly handedOver: HandOver | undefined;
  /** What was in the way of the wish in force. */
  readonly problems: readonly ProblemReport[];
  /** How many requests to look again were answered. */
  readonly looks: number;
  /** When the same wish is handed over again, unless things are as wished by then. */
  readonly nextAt?: number;
}

function pastOf(
  view: View<unknown>,
  facts: Partial<DelegatedFacts>,
  members: readonly Member[],
  node: string,
  print: string,
  isMatched: boolean,
): Past {
  const landing = view.observed[laneOf(node)];
  const [, landed, nudge = '0'] = /^sync\/([^/]+)\/n(\d+)\//.exec(landing?.key ?? '') ?? [];
  const before = facts.handedOver;
  const hasLanded = landing !== undefined && landed === print;
  const handedOver = hasLanded ? landedOver(before, print, new Date(landing.at).toISOString(), isMatched) : before;
  const looks = Math.max(facts.looks ?? 0, Number(nudge));
  if (handedOver?.wish !== print) return { handedOver, problems: [], looks };
  const told = hasLanded ? ((landing.value as Sighting | null)?.problems ?? []) : undefined;
  const isNew = hasLanded && before?.at !== handedOver.at;
  const problems = told
    ? told.map((one) => obstacle(view, facts, node, one, isNew ? landing.at : undefined))
    : isMatched
      ? []
      : known(view, facts);
  if (problems.length > 0) {
    // Somebody who has the runtime speaks now.
    const isCured = !hasLanded && problems.every(({ reason }) => reason === 'RuntimeUnavailable');
    return { handedOver, problems, looks, nextAt: isCured ? view.now : Math.min(...problems.map((one) => Date.parse(one.nextTryTime))) };
  }
  if (isMatched) return { handedOver: { ...handedOver, again: 0 }, problems, looks };
  const first = members.length === 0 ? FIRST_IF_NONE_MS : FIRST_AGAIN_MS;
  const nextAt = Date.parse(handedOver.at) + Math.min(LONGEST_AGAIN_MS, first * 2 ** handedOver.again);
  return { handedOver, problems, looks, nextAt };
}

const known = ({ metadata }: View<unknown>, { problems = [] }: Partial<ReplicasFacts>): readonly ProblemReport[] =>
  problems.filter(({ generation }) => generation === metadata.generation);

/** What is in the way of the wish as a whole. `at`: of a landing that is counted for the first time. */
function obstacle(
  view: View<unknown>,
  facts: Partial<ReplicasFacts>,
  node: string,
  problem: InstanceProblem,
  at: number | undefined,
): ProblemReport {
  const before = known(view, facts).find(({ reason }) => reason === problem.reason);
  if (before && at === undefined) return { ...before, message: problem.message };
  const nextTryTime = new Date((at ?? view.now) + LONGEST_AGAIN_MS).toISOString();
  return { ...problem, node, generation: view.metadata.generation, tries: (before?.tries ?? 0) + 1, nextTryTime };
}

function landedOver(before: HandOver | undefined, wish: string, at: string, isMatched: boolean): HandOver {
  if (before?.wish !== wish || isMatched) return { wish, at, again: 0 };
  return before.at === at ? before : { wish, at, again: before.again + 1 };
}

/** Why the runtime itself cannot start some; it tries again by itself. */
function stuckOf(members: readonly Member[], generation: number): ProblemReport[] {
  return members.flatMap(({ stuck, slot, node }) => (stuck ? [{ ...stuck, slot, node, generation, tries: 1, nextTryTime: '' }] : []));
}

/** Nodes that have, or may have, something although the wish is another node's now. */
function leftBehind(view: View<unknown>, facts: Partial<ReplicasFacts>, seen: readonly NodeSighting[], node: string): string[] {
  const filled = seen.filter(({ instances }) => instances.length > 0).map((sighting) => sighting.node);
  const isGone = (place: string): boolean =>
    !filled.includes(place) && (view.observed[laneOf(place)]?.key.startsWith('sync/gone/') ?? false);
  return [...new Set([...(facts.nodes ?? []), ...filled])].filter((place) => place !== node && !isGone(place)).sort();
}

function handingOver(
  view: View<unknown>,
  { template }: Replicated,
  node: string,
  print: string,
  revision: InstanceRevision,
  delegated: DelegatedWish,
): Step {
  const text = `hand over to ${template.runtime}: ${delegated.replicas} of revision ${short(revision.digest)} by ${node}`;
  return syncStep(view, template, node, print, {
    reason: 'HandingOver',
    summary: text,
    wish: { revisions: [{ ...revision, slots: [] }], remove: [], waitReadyMs: WAIT_READY_MS, delegated },
  });
}

function leaving(view: View<unknown>, { template }: Replicated, node: string): Step {
  const wish = { revisions: [], remove: 'all', waitReadyMs: 0 } as const;
  return syncStep(view, template, node, 'gone', { reason: 'RemovingInstances', summary: `remove all instances on ${node}`, wish });
}

interface Work {
  readonly reason: string;
  readonly summary: string;
  readonly wish: Pick<InstanceWish, 'revisions' | 'remove' | 'waitReadyMs' | 'delegated'>;
}

/** The same wish after a newer look is a new flight. */
function syncStep(view: View<unknown>, { runtime, stop }: Template, node: string, print: string, { reason, summary, wish }: Work): Step {
  const lane = laneOf(node);
  const seen = view.observed[lane];
  const since = seen ? `${seen.at}.${(seen.value as { asOf?: { seq?: number } } | null)?.asOf?.seq ?? 0}` : '0';
  const key = `sync/${print}/n${view.nudge}/@${since}`;
  const input: InstanceWish = { runtime, node, resting: [], restart: [], stop, ...wish };
  const { retry, ...limit } = patience(view, lane, key, SYNC_MS);
  return {
    key,
    about: lane,
    activity: 'syncInstances',
    queue: queueOf(node),
    reason,
    summary,
    input: input as unknown as JsonObject,
    with: ['metadata'],
    timeouts: { ...limit, startToCloseMs: SYNC_MS, heartbeatMs: HEARTBEAT_MS, ...startLimit(view, lane, key) },
    retry,
  };
}
