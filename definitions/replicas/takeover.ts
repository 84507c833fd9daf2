import type { InstanceRevision, RemoveReason } from '../core/instance.ts';
import { byAge, isGood, type Member } from './members.ts';
import type { Strategy } from './replicated.ts';

/** Which revision each slot shall have now, and which instances shall go for it. */
export interface Takeover {
  readonly start: readonly { readonly slot: number; readonly revision: InstanceRevision }[];
  readonly remove: readonly { readonly member: Member; readonly why: RemoveReason }[];
}

export interface Situation {
  readonly members: readonly Member[];
  readonly slots: readonly number[];
  readonly nodeOf: (slot: number) => string;
  /** Undefined: not known yet, so nothing may take over. */
  readonly target: InstanceRevision | undefined;
  /** What worked last, and can be made again. */
  readonly stable: InstanceRevision | undefined;
  readonly strategy: Strategy;
  /** Nodes that nobody can see now: what shall go from there counts as gone, for nobody could wait for it. */
  readonly unseen: readonly string[];
  /** Nothing new may take over. */
  readonly frozen: boolean;
  /** The revision could not be started in the slot a moment ago, and is not tried again yet. */
  readonly isStuck: (slot: number, revision: InstanceRevision) => boolean;
  /** Why those of another revision go. */
  readonly because: 'outdated' | 'failedUpdate';
}

interface Place {
  readonly slot: number;
  readonly fresh: Member | undefined;
  /** Of another revision, on another node, or changed by hand. */
  readonly stale: readonly Member[];
}

/**
 * One move of a rollout: who is started and who goes, so that at every instant enough are available and not too many there.
 *
 * Guarantees: an instance that works goes only while `replicas - maxUnavailable` others are available; never more than
 * `replicas + maxSurge` are there; what takes over and does not get ready holds up the rest. The move is carried out as
 * "remove, then start", so a slot in both is replaced.
 */
export function takeover(situation: Situation): Takeover {
  const { members, slots, target, strategy } = situation;
  const isWanted = ({ slot }: Member): boolean => slots.includes(slot);
  const duplicates = duplicatesOf(members.filter(isWanted), situation);
  const places = slots.map((slot) => placeOf(slot, members, duplicates, situation));
  const move = movesOf(places, situation, target, strategy);
  const leaving = new Set(move.remove.map(({ member }) => member));
  const staying = places.flatMap(({ stale }) => stale).filter((member) => !leaving.has(member));
  return {
    start: [...move.start, ...keptAlive(staying, situation)],
    remove: [
      ...surplusOf(members, slots).map((member) => ({ member, why: 'scaledDown' as const })),
      ...duplicates.map((member) => ({ member, why: 'duplicate' as const })),
      ...move.remove,
    ],
  };
}

/** Whoever has no place any more; but what works stays while a place that is wanted instead of its own has nothing that does. */
function surplusOf(members: readonly Member[], slots: readonly number[]): Member[] {
  const surplus = members.filter(({ slot }) => !slots.includes(slot));
  const idle = slots.filter((slot) => !members.some((member) => member.slot === slot && isGood(member)));
  const standIns = surplus.filter(({ available }) => available).slice(0, idle.length);
  return surplus.filter((member) => !standIns.includes(member));
}

/** A number, or a share of the replicas such as "25%". */
export function countOf(value: number | string, replicas: number, round: (value: number) => number): number {
  return typeof value === 'number' ? value : round((Number.parseFloat(value) * replicas) / 100);
}

/** How far a rollout may stray from the wished number. `isTied`: the old must go before the new can come. */
export function roomOf(
  { maxSurge, maxUnavailable }: Strategy,
  replicas: number,
  isTied = false,
): { readonly surge: number; readonly unavailable: number } {
  const surge = countOf(maxSurge, replicas, Math.ceil);
  const unavailable = Math.min(replicas, countOf(maxUnavailable, replicas, Math.floor));
  if (isTied || surge + unavailable === 0) return { surge: 0, unavailable: Math.max(1, unavailable) };
  return { surge, unavailable };
}

function movesOf(places: readonly Place[], situation: Situation, target: InstanceRevision | undefined, strategy: Strategy): Takeover {
  if (situation.frozen || !target) return hold(places, situation);
  return strategy.type === 'Recreate' ? recreate(places, target, situation) : roll(places, target, situation);
}

/** Of the revision that shall be there, in its own place, and not changed by hand. */
export function isFresh(member: Member, { target, nodeOf }: Pick<Situation, 'target' | 'nodeOf'>): boolean {
  return member.digest === target?.digest && member.node === nodeOf(member.slot) && member.handEdited === undefined;
}

function placeOf(slot: number, members: readonly Member[], duplicates: readonly Member[], situation: Situation): Place {
  const here = members.filter((member) => member.slot === slot && !duplicates.includes(member));
  return { slot, fresh: here.find((member) => isFresh(member, situation)), stale: here.filter((member) => !isFresh(member, situation)) };
}

/** All but the best of those that fill one slot with one revision: what works first, then what nobody changed, then the oldest. */
function duplicatesOf(members: readonly Member[], { slots, target, nodeOf }: Situation): Member[] {
  const worth = ({ available, handEdited }: Member): number => 2 * Number(available) + Number(handEdited === undefined);
  return slots.flatMap((slot) =>
    members
      .filter((member) => member.slot === slot && member.digest === target?.digest && member.node === nodeOf(slot))
      .sort((a, b) => worth(b) - worth(a) || byAge(a, b))
      .slice(1),
  );
}

/** What stays although it is outdated is kept running too, if it can be made again. */
function keptAlive(staying: readonly Member[], { stable, target, nodeOf }: Situation): Takeover['start'] {
  if (!stable || stable.digest === target?.digest) return [];
  return staying
    .filter(({ digest, node, slot, handEdited }) => digest === stable.digest && node === nodeOf(slot) && handEdited === undefined)
    .map(({ slot }) => ({ slot, revision: stable }));
}

/** Everybody stays; a slot that is empty gets what worked last, or with Recreate what the others have: there, two never meet. */
function hold(places: readonly Place[], { target, stable, strategy }: Situation): Takeover {
  const isTaken = strategy.type === 'Recreate' && places.some(({ fresh }) => fresh);
  const filler = isTaken ? target : (stable ?? target);
  const start = places.flatMap(({ slot, fresh, stale }) => {
    const revision = fresh ? target : stale.length === 0 ? filler : undefined;
    return revision ? [{ slot, revision }] : [];
  });
  return { start, remove: [] };
}

/** First all of the old go, then all of the new come. */
function recreate(places: readonly Place[], revision: InstanceRevision, situation: Situation): Takeover {
  const stale = places.flatMap(({ stale: members }) => members);
  if (stale.length > 0) return { start: [], remove: stale.map((member) => ({ member, why: reasonFor(member, revision, situation) })) };
  return { start: places.map(({ slot }) => ({ slot, revision })), remove: [] };
}

function roll(places: readonly Place[], revision: InstanceRevision, situation: Situation): Takeover {
  const { strategy, nodeOf, stable, unseen } = situation;
  const all = places.flatMap(({ fresh, stale }) => [...(fresh ? [fresh] : []), ...stale]);
  const isTied = places.some(({ stale }) => stale.some((member) => holdsPortOf(member, revision, stable)));
  const { surge, unavailable } = roomOf(strategy, places.length, isTied);
  // An empty place is filled in any case.
  let there = all.length + places.filter(isEmpty).length;
  const going = new Map<string, number>();
  // Each node does its part in its own time: only what goes from the same node surely goes before the next one comes.
  const hasSpaceOn = (node: string): boolean => there - (going.get(node) ?? 0) < places.length + surge;
  let spare = all.filter(({ available }) => available).length - (places.length - unavailable);
  let changing = places.filter((place) => isEmpty(place) || (place.fresh && !isGood(place.fresh))).length;
  const start: { slot: number; revision: InstanceRevision }[] = [];
  const remove = new Map<Member, RemoveReason>();
  const retire = (member: Member): void => {
    remove.set(member, reasonFor(member, revision, situation));
    if (unseen.includes(member.node)) there -= 1;
    else going.set(member.node, (going.get(member.node) ?? 0) + 1);
    if (member.available) spare -= 1;
  };
  for (const { fresh, stale } of places) {
    const kept = fresh && isGood(fresh) ? undefined : bestOf(stale, stable);
    for (const member of stale) if (member !== kept && (!member.available || spare > 0)) retire(member);
  }
  const turn = [...places].sort((a, b) => Number(works(a)) - Number(works(b)));
  for (const { slot, fresh, stale } of turn) {
    const left = stale.filter((member) => !remove.has(member));
    if (fresh || stale.length === 0) {
      start.push({ slot, revision });
      continue;
    }
    // What worked last need not go for something that cannot come: it is started again, should it have ended.
    if (situation.isStuck(slot, revision) && left.some(({ digest, handEdited }) => digest === stable?.digest && !handEdited)) continue;
    const working = left.filter(({ available }) => available).length;
    const isReplacedInPlace = stale.some((member) => member.digest === revision.digest && member.node === nodeOf(slot));
    const hasRoom = changing < surge + unavailable;
    if (working > 0 && !isReplacedInPlace && hasRoom && hasSpaceOn(nodeOf(slot))) {
      // Starts beside the old one.
    } else if (hasRoom && (working === 0 || spare >= working)) {
      for (const member of left) retire(member);
    } else if (isReplacedInPlace && changing === 0) {
      for (const member of left) retire(member);
    } else continue;
    changing += 1;
    if (!hasSpaceOn(nodeOf(slot))) continue;
    there += 1;
    start.push({ slot, revision });
  }
  return { start, remove: [...remove].map(([member, why]) => ({ member, why })) };
}

/** Two instances cannot have one port of the node: neither what it has now nor what it gets when it is started again. */
function holdsPortOf({ ports = [], digest }: Member, { template }: InstanceRevision, stable: InstanceRevision | undefined): boolean {
  const named = stable?.digest === digest ? stable.template.ports : [];
  return template.ports.some(
    (wished) =>
      wished.host !== undefined && [...ports, ...named].some((one) => one.host === wished.host && one.protocol === wished.protocol),
  );
}

const isEmpty = ({ fresh, stale }: Place): boolean => !fresh && stale.length === 0;

/** Of several old ones in a place, the one that is worth keeping: it works, it worked last, it is there for longest. */
function bestOf(stale: readonly Member[], stable: InstanceRevision | undefined): Member | undefined {
  const worth = ({ available, digest }: Member): number => 2 * Number(available) + Number(digest === stable?.digest);
  return [...stale].sort((a, b) => worth(b) - worth(a) || byAge(a, b))[0];
}

const works = ({ stale }: Pick<Place, 'stale'>): boolean => stale.some(({ available }) => available);

function reasonFor(member: Member, target: InstanceRevision, { nodeOf, because }: Situation): RemoveReason {
  if (member.handEdited !== undefined) return 'handEdited';
  if (member.digest !== target.digest) return because;
  return member.node === nodeOf(member.slot) ? 'duplicate' : 'moved';
}
