import type { ResourceEvent } from '../../../definitions/core/resource.ts';
import { age } from './age.ts';

export const eventTitles = ['LAST SEEN', 'TYPE', 'REASON', 'MESSAGE'] as const;

/** Oldest first, as a story is read; repeated ones say how often and since when. */
export function eventRows(events: readonly ResourceEvent[], now: number): readonly (readonly string[])[] {
  return [...events]
    .sort((a, b) => Date.parse(a.lastSeen) - Date.parse(b.lastSeen))
    .map(({ type, reason, message, count, firstSeen, lastSeen }) => {
      const often = count > 1 ? ` (x${count} over ${age(firstSeen, now)})` : '';
      return [`${age(lastSeen, now)}${often}`, type, reason, message];
    });
}
