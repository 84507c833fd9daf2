import { digestOf } from '../core/digest.ts';
import type { InstanceRevision, InstanceWish, RemoveReason } from '../core/instance.ts';
import { patience } from '../core/patience.ts';
import type { Plan, View } from '../core/plan.ts';
import type { JsonObject, Metadata } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import { conditionsOf } from './conditions.ts';
import { planDelegated } from './delegated.ts';
import { laneOf, nodeOfLane, queueOf } from './lanes.ts';
import { isGood, type Member, membersOf, short, sightings } from './members.ts';
import { problemsOf } from './problems.ts';
import { type Replicated, runsItself } from './replicated.ts';
import type { ProblemReport, ReplicasFacts, ReplicasReport } from './report.ts';
import { reportsOf, revisionReport } from './reports.ts';
import { stableOf, startLimit, targetOf } from './revisions.ts';
import { courseOf, progressOf } from './rollout.ts';
import { wantedSlots } from './slots.ts';
import { type Takeover, takeover } from './takeover.ts';
import { summaryOf } from './words.ts';

const SYNC_MS = 30 * 60_000;
const HEARTBEAT_MS = 5_000;
const WAIT_READY_MS = 10_000;
const SETTLE_MS = 250;

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
      facts: { ...noFacts, ...known(facts), runtime: wish.template.runtime, nodes: facts.nodes ?? [] },
    };
  if (runsItself(wish.template.runtime)) return planDelegated(view, wish, (spec) => replicatedOf(spec as Spec, view.metadata).template);

  const target = targetOf(view, wish, nodes[0] as string);
  const stable = stableOf(view, facts, (spec) => replicatedOf(spec as Spec, view.metadata).template);
  const course = courseOf(view, wish, facts, target.revision, stable);
  const members = membersOf(view, facts, wish);
  const slots = wantedSlots(members, wish.replicas);
  const nodeOf = (slot: number): string => nodes[slot % nodes.length] as string;
  const unseen = sightings(view).filter(({ unreachable }) => unreachable !== undefined);
  const move = takeover({
    members,
    slots,
    nodeOf,
    target: course.heading,
    stable,
    strategy: wish.strategy,
    unseen: unseen.map(({ node }) => node),
    frozen: course.frozen,
    because: course.failed === 'RolledBack' ? 'failedUpdate' : 'outdated',
  });
  const problems = problemsOf(view, facts, members, course.heading).filter(({ slot }) => slot === undefined || slots.includes(slot));
  const isSeen = (node: string): boolean => !unseen.some((sighting) => sighting.node === node);
  // Whoever cannot be seen need not be asked: it is looked at when it can be seen again.
  const there = [...new Set([...nodes, ...members.map(({ node }) => node)])].filter(isSeen);
  const looks = Math.min(view.nudge, ...there.map((node) => looksOf(view, facts, node)));
  const steps = there.flatMap((node) =>
    syncing(view, wish, { node, move, members, problems, nodeOf, isAsked: isLost(view, node) || looksOf(view, facts, node) < view.nudge }),
  );

  const isComplete =
    target.revision !== undefined && course.heading === target.revision && isReached(members, slots, target.revision, move);
  const progress = progressOf(view, wish, facts, { members, target: target.revision, course, isComplete });
  const current = isComplete && target.revision ? revisionReport(target.revision) : facts.currentRevision;
  const stableGeneration = isComplete ? view.metadata.generation : facts.stableGeneration;
  const now: ReplicasFacts = {
    ...reportsOf(members, wish, course.heading),
    runtime: wish.template.runtime,
    nodes: [...new Set([...nodes, ...members.map(({ node }) => node), ...unheardOf(view, facts)])],
    ...(current ? { currentRevision: current } : {}),
    ...(target.revision
      ? { targetRevision: revisionReport(target.revision) }
      : facts.targetRevision
        ? { targetRevision: facts.targetRevision }
        : {}),
    ...(progress.report ? { rollout: progress.report } : {}),
    ...(stableGeneration === undefined ? {} : { stableGeneration }),
    ...(problems.length > 0 ? { problems } : {}),
    ...(looks > 0 ? { looks } : {}),
  };
  const wakeAt = earliest(view.now, [
    target.wakeAt,
    progress.deadline,
    ...members.flatMap(({ restartAt, availableAt, finished }) => (finished ? [] : [restartAt, availableAt])),
    ...problems.map(({ nextTryTime }) => Date.parse(nextTryTime)),
  ]);
  // A failure that was found in this very pass changes the course of the next.
  const isTurning = progress.report?.state === 'Failed' && course.failed === undefined && stable !== undefined;
  return {
    plan: {
      steps: [...target.steps, ...steps],
      conditions: conditionsOf({
        wish,
        facts: now,
        members,
        target,
        course,
        problems,
        unseen,
        isSettled: isComplete && steps.length === 0,
      }),
      ...observedGeneration(view, nodes, [...target.steps, ...steps]),
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

/** Nodes that were asked to make something and have not answered since: they may have it. */
function unheardOf({ observed }: View<unknown>, { nodes = [] }: Partial<ReplicasFacts>): readonly string[] {
  return nodes.filter((node) => observed[laneOf(node)] === undefined);
}

/** The status speaks of a generation once somebody has looked at the world since, or nothing is left to do for it. */
function observedGeneration(view: View<unknown>, nodes: readonly string[], steps: readonly Step[]): Pick<Plan, 'observedGeneration'> {
  const { generation } = view.metadata;
  const isSeen = nodes.every((node) => view.observed[laneOf(node)]?.generation === generation);
  if (isSeen || steps.length === 0) return { observedGeneration: generation };
  return view.status?.observedGeneration === undefined ? {} : { observedGeneration: view.status.observedGeneration };
}

function isReached(members: readonly Member[], slots: readonly number[], { digest }: InstanceRevision, { remove }: Takeover): boolean {
  return remove.length === 0 && members.length === slots.length && members.every((one) => one.digest === digest && isGood(one));
}

/** How many requests to look again this node has answered. */
function looksOf(view: View<unknown>, facts: Partial<ReplicasFacts>, node: string): number {
  const told = /\/n(\d+)\//.exec(view.observed[laneOf(node)]?.key ?? '')?.[1];
  return Math.max(facts.looks ?? 0, Number(told ?? 0));
}

/** Somebody went there and never answered. */
const isLost = (view: View<unknown>, node: string): boolean => view.observed[laneOf(node)]?.lost === true;

interface Here {
  readonly node: string;
  readonly move: Takeover;
  readonly members: readonly Member[];
  readonly problems: readonly ProblemReport[];
  readonly nodeOf: (slot: number) => string;
  /** Somebody wants the node to be looked at, whatever is known. */
  readonly isAsked: boolean;
}

/** The step that brings one node to what is wished of it; none when it is so already, or when all that is left must wait. */
function syncing(view: View<unknown>, wish: Replicated, { node, move, members, problems, nodeOf, isAsked }: Here): Step[] {
  const remove = move.remove.filter(({ member }) => member.node === node);
  const leaving = new Set(remove.map(({ member }) => member));
  const mine = members.filter((member) => member.node === node && !leaving.has(member));
  const isPending = (time: number | undefined): boolean => time !== undefined && time > view.now;
  const stuck = problems.filter((problem) => problem.node === node && isPending(Date.parse(problem.nextTryTime)));
  const rests = ({ slot, revision }: Takeover['start'][number]): boolean =>
    stuck.some((problem) => problem.slot === undefined || problem.slot === slot) ||
    mine.some((one) => one.slot === slot && one.digest === revision.digest && (one.finished || isPending(one.restartAt)));
  const start = move.start.filter(({ slot }) => nodeOf(slot) === node);
  const due = start.filter((one) => !rests(one));
  const resting = start.filter(({ slot }) => !due.some((one) => one.slot === slot)).map(({ slot }) => slot);
  const restart = mine.filter((member) => member.unhealthy !== undefined && member.state === 'running' && !isPending(member.restartAt));
  const isMissing = due.some(({ slot, revision }) => !runs(mine, slot, revision));
  if (remove.length + restart.length === 0 && !isMissing && !isAsked) return [];
  return [
    syncStep(view, wish, node, {
      // Of two revisions in a slot one may rest while the other must not.
      revisions: grouped(start.filter((one) => due.includes(one) || resting.includes(one.slot))),
      resting: [...new Set(resting)],
      restart: restart.map(({ id }) => ({ id, why: 'unhealthy' })),
      remove: remove.map(({ member, why }) => ({ id: member.id, why })),
      wishes: grouped(start),
      isTakeover: isMissing && members.some(({ digest }) => due.some(({ revision }) => revision.digest !== digest)),
      summary: summaryOf({ node, due, remove, restart, mine }),
    }),
  ];
}

const runs = (members: readonly Member[], slot: number, { digest }: InstanceRevision): boolean =>
  members.some((member) => member.slot === slot && member.digest === digest && member.state === 'running' && !member.misnamed);

function grouped(start: Takeover['start']): InstanceWish['revisions'] {
  const revisions = [...new Map(start.map(({ revision }) => [revision.digest, revision])).values()];
  return revisions.map((revision) => ({
    ...revision,
    slots: start
      .filter((one) => one.revision.digest === revision.digest)
      .map(({ slot }) => slot)
      .sort((a, b) => a - b),
  }));
}

interface Work extends Pick<InstanceWish, 'revisions' | 'resting' | 'restart' | 'remove'> {
  /** Also what rests now, so that the flight stays the same when a rest is over. */
  readonly wishes: InstanceWish['revisions'];
  /** What is started replaces something that may work. */
  readonly isTakeover?: boolean;
  readonly summary: { readonly reason: string; readonly text: string };
}

/** The key names what is wished, and the look at the node that it answers: the same wish after a newer look is a new flight. */
function syncStep(view: View<unknown>, { template }: Replicated, node: string, work: Work): Step {
  const lane = laneOf(node);
  const seen = view.observed[lane];
  const wishes = work.wishes.map(({ digest, slots }) => [digest, slots]);
  const removed = work.remove === 'all' ? 'all' : work.remove.map(({ id }: { id: string; why: RemoveReason }) => id);
  const since = seen ? `${seen.at}.${(seen.value as { asOf?: { seq?: number } } | null)?.asOf?.seq ?? 0}` : '0';
  const print = digestOf([wishes, removed, work.restart.map(({ id }) => id)]);
  const key = `sync/${short(print)}/n${view.nudge}/@${since}`;
  const hasProbes = template.probes.readiness !== undefined || template.probes.startup !== undefined;
  const input: Omit<InstanceWish, 'node'> = {
    runtime: template.runtime,
    revisions: work.revisions,
    resting: work.resting,
    restart: work.restart,
    remove: work.remove,
    stop: template.stop,
    waitReadyMs: hasProbes ? WAIT_READY_MS : 0,
    ...(work.isTakeover ? { settleMs: SETTLE_MS } : {}),
  };
  const { retry, ...limit } = patience(view, lane, key, SYNC_MS);
  return {
    key,
    about: lane,
    activity: 'syncInstances',
    queue: queueOf(node),
    reason: work.summary.reason,
    summary: work.summary.text,
    input: { ...input, node } as unknown as JsonObject,
    with: ['metadata'],
    timeouts: { ...limit, startToCloseMs: SYNC_MS, heartbeatMs: HEARTBEAT_MS, ...startLimit(view, lane, key) },
    retry,
  };
}

/** Everything on every node that may have something goes, the same way as everything else. */
function removal(view: View<unknown>, wish: Replicated, facts: Partial<ReplicasFacts>): Plan & { status: JsonObject } {
  const lanes = Object.keys(view.observed).flatMap((lane) => nodeOfLane(lane) ?? []);
  const nodes = [...new Set([...lanes, ...(facts.nodes ?? [])])].sort();
  const steps = nodes.flatMap((node) => {
    const seen = view.observed[laneOf(node)];
    const left = sightings(view).find((sighting) => sighting.node === node)?.instances.length ?? 0;
    if (seen?.key.startsWith(`sync/${GONE}/`) && left === 0) return [];
    const step = syncStep(view, wish, node, {
      revisions: [],
      wishes: [],
      resting: [],
      restart: [],
      remove: 'all',
      summary: { reason: 'RemovingInstances', text: `remove all instances on ${node}` },
    });
    return [{ ...step, key: step.key.replace(/^sync\/[^/]+/, `sync/${GONE}`) }];
  });
  const left = sightings(view).flatMap(({ node, instances }) => instances.map(({ name }) => `Instance ${name} on node ${node}.`));
  return { steps, status: {}, leftBehind: left };
}

const GONE = 'gone';

function earliest(now: number, times: readonly (number | undefined)[]): number | undefined {
  const ahead = times.filter((time): time is number => time !== undefined && time > now);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
