import type { RemoveReason } from '../core/instance.ts';
import type { Member } from './members.ts';
import type { Takeover } from './takeover.ts';

interface Doings {
  readonly node: string;
  /** What shall run now. */
  readonly due: Takeover['start'];
  readonly remove: Takeover['remove'];
  readonly restart: readonly Member[];
  /** What stays there. */
  readonly mine: readonly Member[];
}

const REASONS: Readonly<Record<RemoveReason, string>> = {
  scaledDown: 'fewer are wished',
  outdated: 'the template changed',
  failedUpdate: 'the update failed',
  duplicate: 'one too many',
  handEdited: 'changed by hand',
  moved: 'on another node now',
};

/** What a step is for, as one line of the record: what is done to which slots, and why. */
export function summaryOf({ node, due, remove, restart, mine }: Doings): { readonly reason: string; readonly text: string } {
  const missing = due.filter(({ slot, revision }) => !isRunning(mine, slot, revision.digest));
  const isThere = ({ slot, revision }: Takeover['start'][number]): boolean =>
    mine.some((member) => member.slot === slot && member.digest === revision.digest);
  const again = missing.filter(isThere);
  const fresh = missing.filter((one) => !isThere(one));
  const whys = [...new Set(remove.map(({ why }) => why))].sort();
  const parts = [
    ...whys.map((why) => `remove ${slotsText(remove.filter((one) => one.why === why).map(({ member }) => member.slot))} (${REASONS[why]})`),
    ...(restart.length > 0 ? [`restart ${slotsText(restart.map(({ slot }) => slot))} (${restart[0]?.unhealthy ?? 'unhealthy'})`] : []),
    ...(again.length > 0 ? [`start ${slotsText(again.map(({ slot }) => slot))} again${endOf(again, mine)}`] : []),
    ...(fresh.length > 0 ? [`start ${slotsText(fresh.map(({ slot }) => slot))}`] : []),
  ];
  return { reason: reasonOf(whys, fresh.length, again.length + restart.length), text: `${parts.join(', ') || 'look'} on ${node}` };
}

/** `slot 3`, `slots 0-4, 7`. */
export function slotsText(slots: readonly number[]): string {
  const sorted = [...new Set(slots)].sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const slot of sorted) {
    const last = ranges.at(-1);
    if (last && last[1] === slot - 1) last[1] = slot;
    else ranges.push([slot, slot]);
  }
  const text = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
  return `${sorted.length === 1 ? 'slot' : 'slots'} ${text}`;
}

/** How an instance ended, in a few words. */
export function exitText({ lastExit, state }: Pick<Member, 'lastExit' | 'state'>): string {
  if (!lastExit) return state;
  if (lastExit.outOfMemory) return 'out of memory';
  return lastExit.signal ? `ended by ${lastExit.signal}` : `exit code ${lastExit.code}`;
}

const isRunning = (members: readonly Member[], slot: number, digest: string): boolean =>
  members.some((member) => member.slot === slot && member.digest === digest && member.state === 'running' && !member.misnamed);

function endOf(again: Takeover['start'], mine: readonly Member[]): string {
  const ends = again.flatMap(({ slot, revision }) => mine.filter((member) => member.slot === slot && member.digest === revision.digest));
  const words = [
    ...new Set(ends.map((member) => (member.state === 'exited' ? exitText(member) : member.misnamed ? 'renamed' : member.state))),
  ].sort();
  return words.length > 0 ? ` (${words.join(', ')})` : '';
}

function reasonOf(whys: readonly RemoveReason[], fresh: number, again: number): string {
  if (whys.includes('failedUpdate')) return 'RollingBack';
  if (whys.includes('outdated') || whys.includes('moved')) return 'RollingOut';
  if (whys.length === 1 && whys[0] === 'scaledDown' && fresh === 0) return 'ScalingDown';
  if (again > 0 || whys.includes('handEdited') || whys.includes('duplicate')) return 'Healing';
  return fresh > 0 ? 'StartingInstances' : 'Looking';
}
