import { expect, it } from 'vitest';
import type { EngineEvent } from '../support/docker/recorder.ts';
import { claimsOf, lieIn, statesOf } from '../support/timeline.ts';

const event = (at: number, action: string, slot: number, digest = 'd'): EngineEvent => ({
  at,
  type: 'container',
  action,
  id: `c${slot}${digest}`,
  attributes: { 'colony.slot': String(slot), 'colony.digest': digest },
});

const born = (at: number, slot: number, digest = 'd'): EngineEvent[] => [
  event(at, 'create', slot, digest),
  event(at, 'start', slot, digest),
];

const ready = (at: number, replicas: number, digest = 'd') => ({ at, tookMs: 0, generation: 1, isReady: true, replicas, digest });

it.each([
  { name: 'too few run', events: born(0, 0), replicas: 2 },
  { name: 'too many run', events: [...born(0, 0), ...born(0, 1)], replicas: 1 },
  { name: 'one is of another revision', events: [...born(0, 0), ...born(0, 1, 'old')], replicas: 2 },
  { name: 'one is only made', events: [...born(0, 0), event(0, 'create', 1)], replicas: 2 },
  { name: 'one is paused', events: [...born(0, 0), event(1, 'pause', 0)], replicas: 1 },
  { name: 'one has ended', events: [...born(0, 0), event(1, 'die', 0)], replicas: 1 },
  { name: 'one is gone', events: [...born(0, 0), event(1, 'die', 0), event(2, 'destroy', 0)], replicas: 1 },
])('Ready is a lie when $name', ({ events, replicas }) => {
  expect(lieIn([ready(10_000, replicas)], statesOf(events), 1_000)).toMatch(/it said Ready with/);
});

it('Ready is the truth when it was so a moment ago, and a lie when that is long ago', () => {
  const states = statesOf([...born(0, 0), event(5_000, 'die', 0)]);
  expect(lieIn([ready(5_500, 1)], states, 1_000)).toBeUndefined();
  expect(lieIn([ready(6_500, 1)], states, 1_000)).toBeDefined();
});

it('a machine that takes long to answer may take long to tell', () => {
  const states = statesOf([...born(0, 0), event(5_000, 'die', 0)]);
  expect(lieIn([{ ...ready(8_500, 1), tookMs: 200 }], states, 1_000)).toBeUndefined();
  expect(lieIn([{ ...ready(10_500, 1), tookMs: 200 }], states, 1_000)).toBeDefined();
});

it('what is not yet true is no excuse', () => {
  expect(lieIn([ready(1_000, 1)], statesOf(born(2_000, 0)), 1_000)).toBeDefined();
});

const NOW = { at: 0, tookMs: 0 };

it('a claim counts only for the spec in force, and only when the index says so too', () => {
  const status = { conditions: [{ type: 'Ready', status: 'True' }], observedGeneration: 2, targetRevision: { digest: 'd' } };
  const memo = { meta: { generation: 2 }, spec: { replicas: 3 }, status };
  expect(claimsOf(NOW, memo, { ColonyReady: ['True'] })).toMatchObject({ isReady: true, replicas: 3, digest: 'd', generation: 2 });
  expect(claimsOf(NOW, memo, { ColonyReady: ['Unknown'] }).isReady).toBe(false);
  expect(claimsOf(NOW, { ...memo, meta: { generation: 3 } }, { ColonyReady: ['True'] }).isReady).toBe(false);
});
