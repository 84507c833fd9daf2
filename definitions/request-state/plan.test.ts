import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { View } from '../core/plan.ts';
import { change, commands } from './commands.ts';
import { FLOW, type Flow } from './flow.ts';
import { plan } from './plan.ts';
import { type RequestStateSpec, requestStates } from './schema.ts';

const T0 = Date.UTC(2026, 0, 1);
const spec = (state: RequestStateSpec['state'], job = 'JOB1'): RequestStateSpec => ({ 'request-uid': 'r', job, state });

const view = (current: RequestStateSpec, flow?: Flow, now = T0): View<RequestStateSpec> => ({
  now,
  apiVersion: 'com.redhat.ecosystem.sample/v1',
  kind: 'RequestState',
  metadata: {
    name: 'r',
    namespace: 'd',
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '',
    labels: {},
    annotations: {},
    ownerReferences: [],
    finalizers: [],
  },
  spec: current,
  deleting: false,
  observed: flow ? { [FLOW]: { key: 'k', generation: 1, at: now, value: flow } } : {},
  failing: {},
  nudge: 0,
  status: undefined,
  tuning: { scheduleToStartMs: 1, firstRetryMs: 1 },
});
const context = (actor: string, now = T0) => ({ actor, now });
const flowIn = (effect: { remember?: Readonly<Record<string, unknown>> }): Flow => effect.remember?.[FLOW] as Flow;

describe('RequestState', () => {
  it('records every state of the whole flow of two jobs, the first and the last included', () => {
    const way = [
      spec('REQUESTED'),
      spec('STARTED'),
      spec('COMPLETED'),
      spec('REQUESTED', 'JOB2'),
      spec('STARTED', 'JOB2'),
      spec('COMPLETED', 'JOB2'),
    ];
    let current: View<RequestStateSpec> | undefined;
    for (const step of way) {
      const effect = change(current, step, 'somebody', context('somebody'));
      expect(effect.issues).toBeUndefined();
      current = view(step, flowIn(effect));
    }
    const history = current ? (plan(current).status.history as { job: string; state: string; timestamp: string }[]) : [];
    expect(history.map(({ job, state }) => `${job} ${state}`)).toEqual(way.map(({ job, state }) => `${job} ${state}`));
    expect(history[0]?.timestamp).toBe('2026-01-01T00:00:00.000Z');
  });

  it('says what is wrong with the arguments of a command as it does of a spec', () => {
    const current = view(spec('REQUESTED'));
    expect(commands.claim?.(current, { foo: 1 }, context('x')).issues).toEqual([
      { path: 'args.worker', message: 'is required' },
      { path: 'args.foo', message: 'unknown field; known fields: worker, job, leaseSeconds' },
    ]);
    expect(commands.move?.(current, { state: 'DONE' }, context('x')).issues).toEqual([
      { path: 'args.state', message: `must be one of ${requestStates.join(', ')} (got "DONE")` },
    ]);
  });

  it('refuses an illegal transition and names the legal ones', () => {
    const { issues } = change(view(spec('REQUESTED')), spec('COMPLETED'), 'a', context('a'));
    expect(issues).toEqual([{ path: 'spec.state', message: expect.stringContaining('STARTED, FAILED, CANCELLED, TIMED_OUT') }]);
  });

  it('lets exactly one of several workers claim, and the next one after the lease has lapsed', () => {
    const first = commands.claim?.(view(spec('REQUESTED')), { worker: 'w1', leaseSeconds: 30 }, context('w1'));
    const held = view(spec('STARTED'), flowIn(first ?? {}), T0 + 10_000);
    expect(commands.claim?.(held, { worker: 'w2' }, context('w2', T0 + 10_000))).toMatchObject({ refuse: { type: 'Conflict' } });
    const lapsed = view(spec('STARTED'), flowIn(first ?? {}), T0 + 31_000);
    const second = commands.claim?.(lapsed, { worker: 'w2' }, context('w2', T0 + 31_000));
    expect(second?.answer).toMatchObject({ worker: 'w2', attempt: 2 });
    const late = view(spec('STARTED'), flowIn(second ?? {}), T0 + 32_000);
    expect(commands.move?.(late, { state: 'COMPLETED', worker: 'w1' }, context('w1', T0 + 32_000))).toMatchObject({
      refuse: { type: 'Conflict' },
    });
  });

  it('refuses a claim on a job that it has left behind', () => {
    const movedOn = view(spec('REQUESTED', 'JOB2'));
    expect(commands.claim?.(movedOn, { worker: 'w1', job: 'JOB1' }, context('w1'))).toMatchObject({ refuse: { type: 'Conflict' } });
    expect(commands.claim?.(movedOn, { worker: 'w1', job: 'JOB2' }, context('w1')).answer).toMatchObject({ worker: 'w1', job: 'JOB2' });
    expect(commands.claim?.(movedOn, { worker: 'w1' }, context('w1')).answer).toMatchObject({ worker: 'w1', job: 'JOB2' });
  });

  it('wakes when a claim lapses and says so', () => {
    const claimed = flowIn(commands.claim?.(view(spec('REQUESTED')), { worker: 'w1', leaseSeconds: 30 }, context('w1')) ?? {});
    expect(plan(view(spec('STARTED'), claimed)).wakeAt).toBe(T0 + 30_000);
    expect(plan(view(spec('STARTED'), claimed, T0 + 30_000))).toMatchObject({ status: { claim: { worker: 'w1', expired: true } } });
  });

  it('keeps the newest hundred entries and counts the rest, whatever happens', () => {
    const states = fc.array(fc.constantFrom(...requestStates), { maxLength: 300 });
    fc.assert(
      fc.property(states, (wishes) => {
        let current = view(spec('REQUESTED'));
        let accepted = 0;
        for (const state of wishes) {
          const effect = change(current, spec(state), 'a', context('a'));
          if (effect.issues || !effect.remember) continue;
          accepted += 1;
          current = view(spec(state), flowIn(effect));
        }
        const { history, historyCut } = plan(current).status as { history: unknown[]; historyCut: number };
        expect(history.length + historyCut).toBe(accepted);
        expect(history.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 50 },
    );
  });
});
