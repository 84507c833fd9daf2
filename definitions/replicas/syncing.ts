import { digestOf } from '../core/digest.ts';
import type { InstanceRevision, InstanceWish } from '../core/instance.ts';
import type { View } from '../core/plan.ts';
import type { Step } from '../core/step.ts';
import { type Member, short } from './members.ts';
import { isStuck } from './problems.ts';
import type { Replicated } from './replicated.ts';
import type { ProblemReport } from './report.ts';
import { syncStep } from './sync-step.ts';
import type { Takeover } from './takeover.ts';
import { summaryOf } from './words.ts';

const WAIT_READY_MS = 10_000;
const SETTLE_MS = 250;
/** A process is there as soon as it is asked for; by the time a container is, what ends at once has ended. */
const LOCAL_SETTLE_MS = 100;

export interface Here {
  readonly node: string;
  readonly move: Takeover;
  readonly members: readonly Member[];
  readonly problems: readonly ProblemReport[];
  readonly nodeOf: (slot: number) => string;
  /** Somebody wants the node to be looked at, whatever is known. */
  readonly isAsked: boolean;
}

/** A node's part of a move, as one step; none when it is so already, or when all that is left must wait. */
export function syncing(view: View<unknown>, { template }: Replicated, here: Here): Step[] {
  const { node, move, members, problems, nodeOf, isAsked } = here;
  const remove = move.remove.filter(({ member }) => member.node === node);
  const leaving = new Set(remove.map(({ member }) => member));
  const mine = members.filter((member) => member.node === node && !leaving.has(member));
  const isPending = (time: number | undefined): boolean => time !== undefined && time > view.now;
  const rests = ({ slot, revision }: Takeover['start'][number]): boolean =>
    isStuck(problems, view.now, node, slot, revision.digest) ||
    mine.some((one) => one.slot === slot && one.digest === revision.digest && (one.finished || isPending(one.restartAt)));
  const start = move.start.filter(({ slot }) => nodeOf(slot) === node);
  const due = start.filter((one) => !rests(one));
  const resting = start.filter(({ slot }) => !due.some((one) => one.slot === slot)).map(({ slot }) => slot);
  const restart = mine.filter((member) => member.unhealthy !== undefined && member.state === 'running' && !isPending(member.restartAt));
  const isMissing = due.some(({ slot, revision }) => !runs(mine, slot, revision));
  if (remove.length + restart.length === 0 && !isMissing && !isAsked) return [];
  // What is started replaces something that may work.
  const isTakeover = isMissing && members.some(({ digest }) => due.some(({ revision }) => revision.digest !== digest));
  const settleMs = isTakeover ? SETTLE_MS : isMissing && template.runtime === 'local' ? LOCAL_SETTLE_MS : 0;
  const hasProbes = template.probes.readiness !== undefined || template.probes.startup !== undefined;
  const wish = {
    // Of two revisions in a slot one may rest while the other must not.
    revisions: grouped(start.filter((one) => due.includes(one) || resting.includes(one.slot))),
    resting: [...new Set(resting)],
    restart: restart.map(({ id }) => ({ id, why: 'unhealthy' as const })),
    remove: remove.map(({ member, why }) => ({ id: member.id, why })),
    waitReadyMs: hasProbes ? WAIT_READY_MS : 0,
    ...(settleMs > 0 ? { settleMs } : {}),
  };
  const step = syncStep(view, template, node, { print: printOf(start, wish), ...summaryOf({ node, due, remove, restart, mine }), wish });
  return [isUntaken(view, step) ? waiting(node, step) : step];
}

/** Nobody was there to take it. */
const isUntaken = ({ failing }: View<unknown>, { about, key }: Step): boolean =>
  failing[about]?.key === key && failing[about].untaken === true;

/** Whoever comes looks first, so that nothing can have been begun as long as nobody has answered. */
function waiting(node: string, step: Step): Step {
  const input = { ...step.input, revisions: [], resting: [], restart: [], remove: [], waitReadyMs: 0 };
  return { ...step, reason: 'Looking', summary: `wait for somebody on ${node}`, input };
}

/** Of all that is wished, also of what rests now, so that the flight stays the same when a rest is over. */
function printOf(
  start: Takeover['start'],
  { remove, restart }: Pick<InstanceWish, 'restart'> & { remove: readonly { id: string }[] },
): string {
  const wishes = grouped(start).map(({ digest, slots }) => [digest, slots]);
  return short(digestOf([wishes, remove.map(({ id }) => id), restart.map(({ id }) => id)]));
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
