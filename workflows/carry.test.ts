import { describe, expect, it, vi } from 'vitest';
import { limits } from '../definitions/core/limits.ts';
import { jsonBytes } from '../definitions/core/replayed/bytes.ts';
import type { Observation } from '../definitions/core/step.ts';
import { carried, whyNotCarried } from './carry.ts';
import { newborn, type ResourceState } from './state.ts';

const text = (bytes: number) => ({ text: 'x'.repeat(bytes) });
const seen = (bytes: number): Observation => ({ key: 'k', generation: 1, at: 0, value: text(bytes) });

/** One that remembers as much as it can, and keeps so many answers of 100 kB. */
function full(answers: number): ResourceState {
  const state = newborn({ workflowId: 'widgets.example.com/default/w1', workflowType: 'Widget', uid: 'uid', startedAt: 0 });
  const revision = (generation: number) => ({ generation, spec: text(40_000), at: '', by: '' });
  const event = (count: number) =>
    ({ type: 'Normal', reason: 'R', message: 'm'.repeat(1_000), count, firstSeen: '', lastSeen: '' }) as const;
  return {
    ...state,
    spec: text(40_000),
    revisions: Array.from({ length: 10 }, (_, index) => revision(index)),
    events: Array.from({ length: 50 }, (_, index) => event(index)),
    answered: Array.from({ length: 100 }, (_, index) => [`r${index}`, text(200)]),
    observed: Object.fromEntries(Array.from({ length: answers }, (_, index) => [`lane/${index}`, seen(100_000)])),
  };
}

describe('carried', () => {
  it('takes everything along that fits', () => {
    expect(carried(full(4))).toEqual(full(4));
  });

  it.each([
    { answers: 7, revisions: 5, events: 50, answered: 100 },
    { answers: 9, revisions: 1, events: 42, answered: 100 },
    { answers: 10, revisions: 0, events: 10, answered: 10 },
  ])('lets go of the oldest specs, then events, then requests, then the last spec: with $answers answers', ({ answers, ...left }) => {
    const { revisions, events, answered } = carried(full(answers));
    const found = { revisions: revisions.length, events: events.length, answered: answered.length };
    expect(found).toEqual(left);
    expect(events.at(-1)?.count).toBe(49);
    expect(answered.at(-1)?.[0]).toBe('r99');
  });

  it('measures the whole only once, however much goes', () => {
    const state = full(15);
    const measure = vi.spyOn(JSON, 'stringify');
    carried(state);
    expect(measure.mock.calls.filter(([value]) => value === state)).toHaveLength(1);
    measure.mockRestore();
  });

  it('shortens what is said of failures when nothing else is left to go', () => {
    const failing = { key: 'k', reason: 'R', message: 'm'.repeat(1_000), count: 1, since: 0, retryAt: 0 };
    const state = carried({ ...full(15), failing: { lane: failing } });
    expect(state.failing.lane?.message).toHaveLength(100);
  });
});

describe('whyNotCarried', () => {
  it('has nothing against the largest that is allowed', () => {
    const state = full(0);
    const observed = { all: seen(1024 * 1024 - 100) };
    const meta = { ...state.meta, annotations: text(limits.annotationsBytes) };
    const largest = { ...state, meta, observed, spec: text(limits.decisionBytes), status: text(limits.statusBytes) as never };
    expect(whyNotCarried(largest)).toBeUndefined();
    expect(jsonBytes(carried(largest))).toBeLessThan(2_000_000);
  });

  it('says how much is too much', () => {
    expect(whyNotCarried(full(20))).toMatch(/has 20\d{5} bytes, .* at most 1945600/);
  });
});
