import type { Template } from '../core/template.ts';
import { byAge, type Member } from './members.ts';

/** The only slot that gets the ports of the node that the template names. */
const FIRST = 0;

export const hasFixedPorts = ({ ports }: Template): boolean => ports.some(({ host }) => host !== undefined);

/**
 * Which slots shall be filled: those that are, as long as they are not too many, then the lowest free ones.
 *
 * Of too many go first those that do not work, then the youngest; so the others keep their place and their name. The first
 * slot stays, or comes, when it is the one that is reached by the ports that the template names.
 */
export function wantedSlots(members: readonly Member[], replicas: number, needsFirst: boolean): number[] {
  const taken = [...new Set(members.map(({ slot }) => slot))];
  const kept = taken
    .map((slot) => ({ slot, members: members.filter((member) => member.slot === slot) }))
    .sort((a, b) => Number(works(b.members)) - Number(works(a.members)) || byAge(eldest(a.members), eldest(b.members)) || a.slot - b.slot)
    .map(({ slot }) => slot);
  const wanted = needsFirst ? [FIRST, ...kept.filter((slot) => slot !== FIRST)] : kept;
  const slots = new Set(wanted.slice(0, replicas));
  for (let slot = 0; slots.size < replicas; slot += 1) slots.add(slot);
  return [...slots].sort((a, b) => a - b);
}

const works = (members: readonly Member[]): boolean => members.some(({ available }) => available);

const eldest = (members: readonly Member[]): Pick<Member, 'startedAt'> => [...members].sort(byAge)[0] ?? {};
