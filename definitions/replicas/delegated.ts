import { digestOf } from '../core/digest.ts';
import type { DelegatedWish, InstanceRevision } from '../core/instance.ts';
import { isBlind } from '../core/patience.ts';
import type { View } from '../core/plan.ts';
import type { Step } from '../core/step.ts';
import type { Template } from '../core/template.ts';
import { conditionsOf } from './conditions.ts';
import { failingOf } from './failing.ts';
import { type DelegatedFacts, pastOf } from './hand-over.ts';
import { laneOf } from './lanes.ts';
import { type Member, type NodeSighting, short, sightings } from './members.ts';
import { nextTryOf } from './next-try.ts';
import type { Replicated, Strategy } from './replicated.ts';
import type { ProblemReport, ReplicasFacts, ReplicasReport } from './report.ts';
import { reportsOf, revisionReport } from './reports.ts';
import { stableOf, targetOf } from './revisions.ts';
import { type Course, courseOf, progressOf } from './rollout.ts';
import { removalStep, syncStep, wasRemoved } from './sync-step.ts';
import { unheardAfter } from './unheard.ts';

const WAIT_READY_MS = 10_000;

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
  const target = targetOf(view, wish, node, facts);
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
    ...left.filter(isVisible).map((place) => removalStep(view, wish.template, place)),
    ...(isDue && isVisible(node) ? [handingOver(view, wish, node, print, heading, delegated)] : []),
  ];

  const isComplete =
    heading === target.revision && past.problems.length === 0 && isMatched && members.every(({ available }) => available) && !isDue;
  const progress = progressOf(view, wish, facts, { members, target: target.revision, course, isComplete });
  const current = isComplete ? revisionReport(heading) : facts.currentRevision;
  const stableGeneration = isComplete ? view.metadata.generation : facts.stableGeneration;
  const failing = failingOf(view, steps);
  const now: DelegatedFacts = {
    ...reportsOf(members, wish, target.revision),
    runtime: wish.template.runtime,
    nodes: [node, ...left],
    ...unheardAfter(view, facts, steps),
    ...(current ? { currentRevision: current } : {}),
    targetRevision: revisionReport(target.revision ?? heading),
    ...(progress.report ? { rollout: progress.report } : {}),
    ...(stableGeneration === undefined ? {} : { stableGeneration }),
    ...(past.problems.length > 0 ? { problems: past.problems } : {}),
    ...nextTryOf(target, failing, past.problems),
    ...(past.looks > 0 ? { looks: past.looks } : {}),
    ...(past.handedOver ? { handedOver: past.handedOver } : {}),
  };
  const isTurning = progress.report?.state === 'Failed' && course.failed === undefined && stable !== undefined;
  const times = [progress.deadline, past.nextAt, ...members.map(({ availableAt }) => availableAt)];
  const ahead = times.filter((time): time is number => time !== undefined && time > view.now);
  const isSeen = view.observed[laneOf(node)]?.generation === view.metadata.generation;
  const isBroken = failing !== undefined && !isBlind(failing);
  const spokenOf = isSeen || isBroken || steps.length === 0 ? view.metadata.generation : view.status?.observedGeneration;
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
        failing,
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

/** Why the runtime itself cannot start some; it tries again by itself. */
function stuckOf(members: readonly Member[], generation: number): ProblemReport[] {
  return members.flatMap(({ stuck, slot, node }) => (stuck ? [{ ...stuck, slot, node, generation, tries: 1, nextTryTime: '' }] : []));
}

/** Nodes that have, or may have, something although the wish is another node's now. */
function leftBehind(view: View<unknown>, facts: Partial<ReplicasFacts>, seen: readonly NodeSighting[], node: string): string[] {
  const filled = seen.filter(({ instances }) => instances.length > 0).map((sighting) => sighting.node);
  const isGone = (place: string): boolean => !filled.includes(place) && wasRemoved(view.observed[laneOf(place)]);
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
  const wish = { revisions: [{ ...revision, slots: [] }], resting: [], restart: [], remove: [], waitReadyMs: WAIT_READY_MS, delegated };
  return syncStep(view, template, node, { print, reason: 'HandingOver', text, wish });
}
