import type { Instance, Sighting } from '../core/instance.ts';
import type { View } from '../core/plan.ts';
import { nodeOfLane } from './lanes.ts';
import type { RestartRule, Strategy } from './replicated.ts';
import type { InstanceReport, ReplicasFacts } from './report.ts';

/** An instance, and what is remembered of it from pass to pass. */
export interface Member extends Instance {
  readonly node: string;
  /** How often a new life began in this slot and revision. */
  readonly restarts: number;
  /** Ends in a row, none of which came after a long life. */
  readonly crashes: number;
  /** Of the last end, also when the runtime has forgotten it. */
  readonly lastExit?: Instance['exit'];
  readonly readySince?: number;
  /** Ready for long enough. */
  readonly available: boolean;
  /** When it becomes available if it stays ready. */
  readonly availableAt?: number;
  /** It has ended and shall stay so. */
  readonly finished: boolean;
  /** When it may be started again; undefined: it needs no restart. */
  readonly restartAt?: number;
}

/** Ends in a row from which on it is called a loop. */
const LOOP = 2;
/** Who has ended again and again must be ready for so long before anybody relies on it. */
const STEADY_MS = 10_000;

/** Of how many instances a status can tell, and so remember, something; those in trouble come first. */
export const MAX_REMEMBERED = 100;

/** It has done its work, and shall not do it again. */
export const isDone = ({ finished, exit }: Member): boolean => finished && exit?.code === 0;

/** It ends again and again, or has not been there for long enough to say that it does not. */
export const isLooping = (member: Member): boolean => member.crashes >= LOOP && !isGood(member);

/** As it should be. */
export const isGood = (member: Member): boolean => member.available || isDone(member);

/** Everything that was last seen on all nodes, by slot, then node and id. */
export function membersOf(
  view: View<unknown>,
  facts: Partial<ReplicasFacts>,
  rules: { restart: RestartRule; strategy: Strategy },
): Member[] {
  const reports = facts.instances ?? [];
  const ofPlace = new Map(reports.map((report) => [memory(report.node, report.slot, report.revision), report]));
  const ofSelf = new Map(reports.map((report) => [report.id, report]));
  const remembered = ({ id, slot, digest }: Instance, node: string): InstanceReport | undefined =>
    ofSelf.get(id) ?? ofPlace.get(memory(node, slot, short(digest)));
  return sightings(view)
    .flatMap(({ node, instances }) =>
      instances.map((instance) => member(instance, node, remembered(instance, node) ?? assumed(instance, reports, rules), view.now, rules)),
    )
    .sort((a, b) => a.slot - b.slot || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0) || (a.id < b.id ? -1 : 1));
}

export interface NodeSighting extends Sighting {
  readonly node: string;
  /** Workflow time. */
  readonly at: number;
  readonly generation: number;
}

export function sightings({ observed }: Pick<View, 'observed'>): NodeSighting[] {
  return Object.keys(observed)
    .sort()
    .flatMap((lane) => {
      const node = nodeOfLane(lane);
      const seen = observed[lane];
      if (node === undefined || !seen || seen.value === null) return [];
      return [{ ...(seen.value as Sighting), node, at: seen.at, generation: seen.generation }];
    });
}

/** The oldest first; ISO times sort as text, and one that never started is the youngest. */
export function byAge(a: Pick<Instance, 'startedAt'>, b: Pick<Instance, 'startedAt'>): number {
  const [first, second] = [a.startedAt ?? '~', b.startedAt ?? '~'];
  return first === second ? 0 : first < second ? -1 : 1;
}

/** Enough to tell revisions apart, for people and in names. */
export const short = (digest: string): string => digest.slice(0, 8);

/** One that there was no room to remember has been ready since its start, or crashes again and again: nothing is rushed for it. */
function assumed(
  instance: Instance,
  reports: readonly InstanceReport[],
  { restart }: { restart: RestartRule },
): InstanceReport | undefined {
  const { startedAt, exit, state } = instance;
  if (reports.length < MAX_REMEMBERED || startedAt === undefined) return undefined;
  const nextRestartTime = exit && new Date(Date.parse(exit.at) + restart.maxSeconds * 1000).toISOString();
  return {
    ...{ id: instance.id, name: instance.name, node: '', slot: instance.slot, revision: '', state, ready: instance.ready, restarts: 0 },
    startedAt,
    ...(instance.ready ? { readySince: startedAt } : {}),
    ...(exit ? { lastExit: exit } : {}),
    ...(nextRestartTime && state === 'exited' ? { nextRestartTime } : {}),
  };
}

const memory = (node: string, slot: number, revision: string): string => `${node}/${slot}/${revision}`;

function member(
  instance: Instance,
  node: string,
  before: InstanceReport | undefined,
  now: number,
  { restart, strategy }: { restart: RestartRule; strategy: Strategy },
): Member {
  const isNewLife = before?.startedAt !== undefined && instance.startedAt !== undefined && before.startedAt !== instance.startedAt;
  const readySince = instance.ready ? (!isNewLife && before?.readySince ? Date.parse(before.readySince) : now) : undefined;
  const steadyMs = (before?.crashes ?? 0) >= LOOP ? STEADY_MS : 0;
  const availableAt = readySince === undefined ? undefined : readySince + Math.max(strategy.minReadySeconds * 1000, steadyMs);
  const isFinished = instance.state === 'exited' && !isRestarted(restart, instance);
  const lastExit = instance.exit ?? before?.lastExit;
  const next: Member = {
    ...instance,
    node,
    restarts: (before?.restarts ?? 0) + (isNewLife ? 1 : 0),
    crashes: before?.crashes ?? 0,
    ...(lastExit ? { lastExit } : {}),
    ...(readySince === undefined ? {} : { readySince }),
    available: availableAt !== undefined && availableAt <= now,
    ...(availableAt !== undefined && availableAt > now ? { availableAt } : {}),
    finished: isFinished,
  };
  return isFinished ? next : withRestart(next, before, isNewLife, now, restart);
}

function isRestarted({ policy }: RestartRule, { exit }: Instance): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exit?.code !== 0);
}

/** The first end is answered at once, each further one after twice the time. */
function withRestart(next: Member, before: InstanceReport | undefined, isNewLife: boolean, now: number, rule: RestartRule): Member {
  const hasEnded = next.state === 'exited';
  if (!hasEnded && next.unhealthy === undefined) return next;
  const isSameEnd = before?.state === 'exited' && isSameMoment(before.lastExit?.at, next.exit?.at);
  const isKnown = !isNewLife && (hasEnded ? isSameEnd : before?.nextRestartTime !== undefined);
  if (isKnown && before) return { ...next, restartAt: before.nextRestartTime ? Date.parse(before.nextRestartTime) : now };
  const crashes = livedLong(next, now, rule) ? 1 : next.crashes + 1;
  const delay = crashes <= 1 ? 0 : Math.min(rule.maxSeconds, rule.firstSeconds * 2 ** (crashes - 2));
  return { ...next, crashes, restartAt: now + delay * 1000 };
}

function livedLong({ startedAt, exit, state }: Member, now: number, { resetSeconds }: RestartRule): boolean {
  if (startedAt === undefined) return false;
  const end = state === 'exited' && exit ? Date.parse(exit.at) : now;
  return end - Date.parse(startedAt) >= resetSeconds * 1000;
}

/** One end may be told by an event and by a look, a moment apart. */
function isSameMoment(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Math.abs(Date.parse(one) - Date.parse(other)) < 1_000;
}
