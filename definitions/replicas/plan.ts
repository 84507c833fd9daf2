import { isBlind } from '../core/patience.ts';
import type { Plan, View } from '../core/plan.ts';
import type { Metadata } from '../core/resource.ts';
import type { Failing, Step } from '../core/step.ts';
import { conditionsOf } from './conditions.ts';
import { planDelegated } from './delegated.ts';
import { failingOf } from './failing.ts';
import { inTurn } from './in-turn.ts';
import { laneOf } from './lanes.ts';
import { isGood, type Member, membersOf, sightings } from './members.ts';
import { nextTryOf } from './next-try.ts';
import { isStuck, problemsOf } from './problems.ts';
import { disproved } from './proof.ts';
import { removal } from './removal.ts';
import { type Replicated, runsItself } from './replicated.ts';
import type { ReplicasFacts, ReplicasReport } from './report.ts';
import { reportsOf, revisionReport } from './reports.ts';
import { stableOf, targetOf } from './revisions.ts';
import { courseOf, progressOf } from './rollout.ts';
import { hasFixedPorts, wantedSlots } from './slots.ts';
import { answered } from './sync-step.ts';
import { syncing } from './syncing.ts';
import { isFresh, takeover } from './takeover.ts';
import { unheardAfter, unheardOf } from './unheard.ts';

/**
 * Compares what should run with what was last seen, for every kind that keeps replicas.
 *
 * Guarantees: pure; one instance per wanted slot in the end; a failed update never takes away what works; an empty step list
 * and no `wakeAt` mean that everything is as wished. Nothing is done about a node that nobody can see.
 */
export function planReplicas<Spec>(view: View<Spec>, replicatedOf: (spec: Spec, metadata: Metadata) => Replicated): ReplicasReport {
  const facts = (view.status ?? {}) as Partial<ReplicasFacts>;
  const wish = replicatedOf(view.spec, view.metadata);
  const nodes = nodesOf(view, wish, facts);
  if (view.deleting)
    return {
      plan: removal(view, wish, facts),
      facts: { ...noFacts, ...known(facts), runtime: wish.template.runtime, nodes: facts.nodes ?? [], ...unheardAfter(view, facts, []) },
    };
  if (runsItself(wish.template.runtime)) return planDelegated(view, wish, (spec) => replicatedOf(spec as Spec, view.metadata).template);

  const target = targetOf(view, wish, nodes[0] as string, facts);
  const stable = stableOf(view, facts, (spec) => replicatedOf(spec as Spec, view.metadata).template);
  const course = courseOf(view, wish, facts, target.revision, stable);
  const members = membersOf(view, facts, wish);
  const slots = wantedSlots(members, wish.replicas, hasFixedPorts(wish.template));
  const nodeOf = (slot: number): string => nodes[slot % nodes.length] as string;
  const unseen = sightings(view).filter(({ unreachable }) => unreachable !== undefined);
  const problems = problemsOf(view, facts, members, course.heading).filter(({ slot }) => slot === undefined || slots.includes(slot));
  // Whoever is asked for is tried now, as if its time had come.
  const resting = problems.filter(({ node }) => looksOf(view, facts, node) >= view.nudge);
  const move = takeover({
    members,
    slots,
    nodeOf,
    target: course.heading,
    stable,
    strategy: wish.strategy,
    unseen: unseen.map(({ node }) => node),
    frozen: course.frozen,
    isStuck: (slot, { digest }) => isStuck(resting, view.now, nodeOf(slot), slot, digest),
    because: course.failed === 'RolledBack' ? 'failedUpdate' : 'outdated',
  });
  const isSeen = (node: string): boolean => !unseen.some((sighting) => sighting.node === node);
  // Whoever cannot be seen need not be asked: it is looked at when it can be seen again.
  const there = [...new Set([...nodes, ...members.map(({ node }) => node)])].filter(isSeen);
  const looks = Math.min(view.nudge, ...there.map((node) => looksOf(view, facts, node)));
  const unheard = unheardOf(view, facts);
  const isAsked = (node: string): boolean => isLost(view, node) || unheard.includes(node) || looksOf(view, facts, node) < view.nudge;
  const steps = there.flatMap((node) => syncing(view, wish, { node, move, members, problems: resting, nodeOf, isAsked: isAsked(node) }));
  const flying = inTurn(view, steps);

  const isHeadingThere = target.revision !== undefined && course.heading === target.revision;
  const isComplete = isHeadingThere && isReached(members, slots, { target: target.revision, nodeOf });
  const former = isComplete ? undefined : disproved(view, facts, members, target.revision);
  const isDisproved = former !== undefined;
  const progress = progressOf(view, wish, facts, { members, target: target.revision, course, isComplete, isDisproved });
  const current = isComplete && target.revision ? revisionReport(target.revision) : (former ?? facts.currentRevision);
  const stableGeneration = isComplete ? view.metadata.generation : (former?.generation ?? facts.stableGeneration);
  const next = [...target.steps, ...flying];
  const failing = failingOf(view, next);
  const now: ReplicasFacts = {
    ...reportsOf(members, wish, target.revision),
    runtime: wish.template.runtime,
    nodes: [...new Set([...nodes, ...members.map(({ node }) => node), ...unheard])],
    ...unheardAfter(view, facts, flying),
    ...(current ? { currentRevision: current } : {}),
    ...(target.revision
      ? { targetRevision: revisionReport(target.revision) }
      : facts.targetRevision
        ? { targetRevision: facts.targetRevision }
        : {}),
    ...(progress.report ? { rollout: progress.report } : {}),
    ...(stableGeneration === undefined ? {} : { stableGeneration }),
    ...(problems.length > 0 ? { problems } : {}),
    ...nextTryOf(target, failing, problems),
    ...(looks > 0 ? { looks } : {}),
  };
  const wakeAt = earliest(view.now, [
    target.askAt,
    progress.deadline,
    ...members.flatMap(({ restartAt, availableAt, finished }) => (finished ? [] : [restartAt, availableAt])),
    ...problems.map(({ nextTryTime }) => Date.parse(nextTryTime)),
  ]);
  // A failure that was found in this very pass changes the course of the next.
  const isTurning = progress.report?.state === 'Failed' && course.failed === undefined && stable !== undefined;
  return {
    plan: {
      steps: next,
      conditions: conditionsOf({
        wish,
        facts: now,
        members,
        target,
        course,
        problems,
        unseen,
        failing,
        isSettled: isComplete && steps.length === 0,
      }),
      ...observedGeneration(view, nodes, [...target.steps, ...steps], failing),
      ...(isTurning ? { wakeAt: view.now + 1 } : wakeAt === undefined ? {} : { wakeAt }),
      leftBehind: members.map(({ name, node }) => `Instance ${name} on node ${node}.`),
    },
    facts: now,
  };
}

const noFacts = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 0, instances: [] };

function known(facts: Partial<ReplicasFacts>): Partial<ReplicasFacts> {
  const { currentRevision, targetRevision, stableGeneration } = facts;
  return {
    ...(currentRevision ? { currentRevision } : {}),
    ...(targetRevision ? { targetRevision } : {}),
    ...(stableGeneration === undefined ? {} : { stableGeneration }),
  };
}

/** Where the spec says; else where it was put first. */
function nodesOf({ tuning }: View<unknown>, { nodes }: Replicated, facts: Partial<ReplicasFacts>): readonly string[] {
  if (nodes.length > 0) return nodes;
  return [facts.nodes?.[0] ?? tuning.defaultNode ?? 'node'];
}

/** The status speaks of a generation once somebody has looked at the world since, nothing is left to do for it, or it is known why nothing can be done. */
function observedGeneration(
  view: View<unknown>,
  nodes: readonly string[],
  steps: readonly Step[],
  failing: Failing | undefined,
): Pick<Plan, 'observedGeneration'> {
  const { generation } = view.metadata;
  const isSeen = nodes.every((node) => view.observed[laneOf(node)]?.generation === generation);
  const isBroken = failing !== undefined && !isBlind(failing);
  if (isSeen || isBroken || steps.length === 0) return { observedGeneration: generation };
  return view.status?.observedGeneration === undefined ? {} : { observedGeneration: view.status.observedGeneration };
}

/** Each slot has the one that shall be there, it works, and nobody else is there. */
function isReached(members: readonly Member[], slots: readonly number[], place: Parameters<typeof isFresh>[1]): boolean {
  const isTaken = (slot: number): boolean => members.some((one) => one.slot === slot && isFresh(one, place) && isGood(one));
  return members.length === slots.length && slots.every(isTaken);
}

/** How many requests to look again this node has answered. */
function looksOf(view: View<unknown>, facts: Partial<ReplicasFacts>, node: string): number {
  return Math.max(facts.looks ?? 0, answered(view.observed[laneOf(node)]).nudge);
}

/** Somebody went there and never answered. */
const isLost = (view: View<unknown>, node: string): boolean => view.observed[laneOf(node)]?.lost === true;

function earliest(now: number, times: readonly (number | undefined)[]): number | undefined {
  const ahead = times.filter((time): time is number => time !== undefined && time > now);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
