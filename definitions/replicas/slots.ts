import { byAge, type Member } from './members.ts';

/**
 * Which slots shall be filled: those that are, as long as they are not too many, then the lowest free ones.
 *
 * Of too many go first those that do not work, then the youngest; so the others keep their place and their name.
 */
export function wantedSlots(members: readonly Member[], replicas: number): number[] {
  const taken = [...new Set(members.map(({ slot }) => slot))];
  const kept = taken
    .map((slot) => ({ slot, members: members.filter((member) => member.slot === slot) }))
    .sort((a, b) => Number(works(b.members)) - Number(works(a.members)) || byAge(eldest(a.members), eldest(b.members)) || a.slot - b.slot)
    .slice(0, replicas)
    .map(({ slot }) => slot);
  const slots = new Set(kept);
  for (let slot = 0; slots.size < replicas; slot += 1) slots.add(slot);
  return [...slots].sort((a, b) => a - b);
}

const works = (members: readonly Member[]): boolean => members.some(({ available }) => available);

const eldest = (members: readonly Member[]): Pick<Member, 'startedAt'> => [...members].sort(byAge)[0] ?? {};
