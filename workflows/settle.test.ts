import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotations } from '../definitions/core/annotations.ts';
import type { Change, Mail, Verdict } from '../definitions/core/decision.ts';
import { whyNotOurs } from '../definitions/core/replayed/adoption.ts';
import { type Answer, settle } from './settle.ts';
import { newborn, type ResourceState } from './state.ts';

const NOW = Date.UTC(2026, 0, 1);
const born = (): ResourceState =>
  newborn({ workflowId: 'widgets.example.com/default/w1', workflowType: 'Widget', uid: 'uid-1', startedAt: NOW });
const apply = (body: Record<string, unknown>, via: Mail['via'] = 'update'): Mail => ({ type: 'apply', via, body });
const write = (change: Change): Verdict => ({ verdict: 'write', change });
const one = (state: ResourceState, mail: Mail, verdict: Verdict): Answer => {
  const [first] = settle(state, [mail], { verdicts: [verdict] }, NOW).answers;
  if (!first) throw new Error('no answer');
  return first.answer;
};
const stored = (): ResourceState => {
  const state = born();
  one(state, apply({ spec: { n: 0 } }), write({ apiVersion: 'example.com/v1', spec: { n: 0 } }));
  return state;
};

describe('settle', () => {
  it('counts a generation for a new spec and for nothing else', () => {
    const state = stored();
    one(state, apply({}), write({ labels: { a: 'b' } }));
    expect(state.meta.generation).toBe(1);
    one(state, apply({ spec: { n: 1 } }), write({ spec: { n: 1 } }));
    expect(state.meta.generation).toBe(2);
  });

  it('keeps with news how often a look was asked for when somebody last went there', () => {
    const state = stored();
    state.observed['instances/a'] = { key: 'sync', generation: 1, nudge: 3, at: 0, value: {} };
    const told: Mail = { type: 'observed', via: 'update', body: { about: 'instances/a', value: { seen: 1 } } };
    one(state, told, { verdict: 'write', change: { remember: { 'instances/a': { seen: 1 } } } });
    expect(state.observed['instances/a']).toMatchObject({ key: 'observed', nudge: 3, value: { seen: 1 } });
  });

  it('gives every write its own growing version', () => {
    const state = stored();
    const versions = [1, 2, 3].map((n) => {
      one(state, apply({ spec: { n } }), write({ spec: { n } }));
      return Number(state.meta.resourceVersion);
    });
    expect([...versions].sort((a, b) => a - b)).toEqual(versions);
    expect(new Set(versions).size).toBe(3);
  });

  it('answers a repeated request id as the first time and writes nothing', () => {
    const state = stored();
    const first = one(state, apply({ requestId: 'r1', spec: { n: 1 } }), write({ spec: { n: 1 } }));
    one(state, apply({ spec: { n: 2 } }), write({ spec: { n: 2 } }));
    expect(one(state, apply({ requestId: 'r1', spec: { n: 1 } }), write({ spec: { n: 1 } }))).toEqual(first);
    expect(state.spec).toEqual({ n: 2 });
  });

  it('lets one of several writers with the same expected version win', () => {
    const state = stored();
    const { resourceVersion } = state.meta;
    const batch = [1, 2, 3].map((n) => apply({ metadata: { resourceVersion }, spec: { n } }));
    const verdicts = [1, 2, 3].map((n) => write({ spec: { n } }));
    const { answers, again, asDecided } = settle(state, batch, { verdicts }, NOW);
    expect(answers.map(({ answer }) => ('failure' in answer ? answer.failure.type : 'won'))).toEqual(['won', 'Conflict', 'Conflict']);
    expect(again).toEqual([]);
    expect(asDecided).toBe(false);
    expect(state.spec).toEqual({ n: 1 });
  });

  it('puts back what was decided on top of a write that was then refused', () => {
    const state = stored();
    const batch = [apply({ metadata: { resourceVersion: '1' }, spec: { n: 1 } }), apply({ spec: { n: 2 } }), apply({ spec: { n: 3 } })];
    const { answers, again } = settle(
      state,
      batch,
      { verdicts: [write({ spec: { n: 1 } }), write({ spec: { n: 2 } }), write({ spec: { n: 3 } })] },
      NOW,
    );
    expect(answers).toHaveLength(1);
    expect(again).toEqual(batch.slice(1));
    expect(state.spec).toEqual({ n: 0 });
  });

  it('leaves the spec alone and sets the reason on the resource when a signal is refused', () => {
    const state = stored();
    one(state, apply({ spec: { n: 'x' } }, 'signal'), { verdict: 'refuse', type: 'Invalid', message: 'spec.n: must be an integer' });
    expect(state.spec).toEqual({ n: 0 });
    expect(state.rejected).toContain('spec.n');
    expect(state.events.at(-1)).toMatchObject({ type: 'Warning', reason: 'SpecRefused' });
  });

  it('takes nothing but the removal of finalizers while deleting', () => {
    const state = stored();
    one(state, apply({}), write({ finalizers: ['a.b/c', 'd.e/f'] }));
    one(state, { type: 'delete', via: 'update', body: {} }, { verdict: 'delete' });
    expect(one(state, apply({ spec: { n: 9 } }), write({ spec: { n: 9 } }))).toMatchObject({ failure: { type: 'Deleting' } });
    expect(one(state, apply({}), write({ finalizers: ['x.y/z'] }))).toMatchObject({ failure: { type: 'Deleting' } });
    expect(one(state, apply({}), write({ finalizers: ['d.e/f'] }))).toMatchObject({ value: { operation: 'configured' } });
    expect(state.meta.finalizers).toEqual(['d.e/f']);
  });

  it('tells a delete of another incarnation that it came to the wrong one', () => {
    const state = stored();
    expect(one(state, { type: 'delete', via: 'update', body: { uid: 'other' } }, { verdict: 'delete' })).toMatchObject({
      failure: { type: 'Conflict' },
    });
    expect(state.deletion).toBeUndefined();
  });

  it('lets a controller change only its own, and says why not in the words that everybody else uses', () => {
    const shop = { apiVersion: 'app.colonies.io/v1', kind: 'Application', name: 'shop', uid: 'uid-shop', controller: true };
    const claim = (): Mail => apply({ only: 'own', metadata: { ownerReferences: [shop] }, spec: { n: 1 } });
    const state = stored();
    const answer = one(state, claim(), write({ spec: { n: 1 } }));
    expect(answer).toMatchObject({
      failure: { type: 'NotOwned', message: whyNotOurs(shop, { kind: 'Widget', metadata: state.meta }) },
    });
    expect(state.spec).toEqual({ n: 0 });
    one(state, apply({}), write({ annotations: { [annotations.adopt]: 'Application/shop' } }));
    expect(one(state, claim(), write({ spec: { n: 1 }, ownerReferences: [shop] }))).toMatchObject({ value: { operation: 'configured' } });
  });

  it('keeps ten revisions, fewer when they are large, and always the current one', () => {
    const state = stored();
    for (let n = 1; n <= 15; n++) one(state, apply({ spec: { n } }), write({ spec: { n } }));
    expect(state.revisions.map(({ generation }) => generation)).toEqual([7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    for (let n = 1; n <= 5; n++) one(state, apply({ spec: { n } }), write({ spec: { n, text: 'x'.repeat(250_000) } }));
    expect(state.revisions.map(({ generation }) => generation)).toEqual([21]);
  });

  it('never loses, reorders or repeats an acknowledged write, whatever mixture of messages comes', () => {
    const message = fc.record({ n: fc.nat(50), id: fc.option(fc.nat(8), { nil: undefined }), isStale: fc.boolean() });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 30 }), (messages) => {
        const state = stored();
        const acknowledged: number[] = [];
        let waiting = messages.map(({ n, id, isStale }) =>
          apply({
            ...(id === undefined ? {} : { requestId: `r${id}` }),
            ...(isStale ? { metadata: { resourceVersion: '1' } } : {}),
            spec: { n },
          }),
        );
        while (waiting.length > 0) {
          const verdicts = waiting.map((mail) => write({ spec: (mail.body as { spec: { n: number } }).spec }));
          const settled = settle(state, waiting, { verdicts }, NOW);
          for (const { answer } of settled.answers)
            if ('value' in answer) acknowledged.push((answer.value as { generation: number }).generation);
          expect(settled.again.length).toBeLessThan(waiting.length);
          waiting = [...settled.again];
        }
        const fresh = [...new Set(acknowledged)];
        expect(fresh).toEqual([...fresh].sort((a, b) => a - b));
        expect(state.meta.generation).toBe(Math.max(1, ...acknowledged));
      }),
    );
  });
});
