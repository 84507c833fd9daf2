import { describe, expect, it } from 'vitest';
import type { Member } from './members.ts';
import { wantedSlots } from './slots.ts';

const member = (slot: number, available: boolean, startedAt?: string): Member => ({
  id: `id-${slot}`,
  name: `app-${slot}`,
  node: 'node',
  slot,
  digest: 'd',
  generation: 1,
  state: 'running',
  ready: available,
  restarts: 0,
  crashes: 0,
  available,
  finished: false,
  ...(startedAt ? { startedAt } : {}),
});

describe('the slots that shall be filled', () => {
  it.each([
    { name: 'the lowest, when there is nothing', members: [], replicas: 3, slots: [0, 1, 2] },
    { name: 'none, when none are wished', members: [member(0, true)], replicas: 0, slots: [] },
    { name: 'those that are, then the lowest free ones', members: [member(1, true), member(4, true)], replicas: 4, slots: [0, 1, 2, 4] },
    { name: 'those that work before those that do not', members: [member(0, false), member(5, true)], replicas: 1, slots: [5] },
    {
      name: 'the older before the younger',
      members: [member(0, true, '2026-01-02T00:00:00Z'), member(1, true, '2026-01-01T00:00:00Z'), member(2, true)],
      replicas: 1,
      slots: [1],
    },
    { name: 'the lower of two alike', members: [member(2, true, '2026'), member(1, true, '2026')], replicas: 1, slots: [1] },
  ])('are $name', ({ members, replicas, slots }) => expect(wantedSlots(members, replicas, false)).toEqual(slots));

  it.each([
    { name: 'the first, though it is the youngest', members: [member(1, true, '2026'), member(0, true, '2027')], replicas: 1, slots: [0] },
    { name: 'the first, though it does not work', members: [member(0, false), member(1, true)], replicas: 1, slots: [0] },
    { name: 'the first, though it is not there', members: [member(1, true), member(2, true)], replicas: 2, slots: [0, 1] },
    { name: 'none, when none are wished', members: [member(1, true)], replicas: 0, slots: [] },
  ])('are $name, when it has the ports that the template names', ({ members, replicas, slots }) =>
    expect(wantedSlots(members, replicas, true)).toEqual(slots),
  );
});
