import { describe, expect, it } from 'vitest';
import type { DecideRequest } from '../../definitions/core/decision.ts';
import type { Resource } from '../../definitions/core/resource.ts';
import { Run, type RunOptions, signalJob, updateJob } from './run.ts';
import { widgetDecider, widgetId } from './widget.ts';

const options: RunOptions = { workflowId: widgetId, workflowType: 'Widget', decide: widgetDecider() };
const created = async (more: Partial<RunOptions> = {}): Promise<Run> => {
  const run = await Run.start({ ...options, ...more }, [updateJob('apply', { spec: { size: 1 } }, 'u1')]);
  await run.think();
  return run;
};
const flying = (run: Run): number => {
  const [activity] = run.activities.values();
  if (!activity) throw new Error('nothing is in the air');
  return activity.seq;
};
const ready = (run: Run): unknown => run.attributes.ColonyReady;
const object = async (run: Run): Promise<Resource> => (await run.query('resource')) as Resource;

describe('the life of a resource', () => {
  it('is created, reconciled, changed, and deleted, and replays word for word', async () => {
    const run = await created();
    expect(run.answers.get('u1')?.value).toMatchObject({ operation: 'created', generation: 1 });
    expect(run.activities.get(flying(run))).toMatchObject({
      type: 'reconcile_widget',
      queue: 'makers',
      input: { action: 'create', spec: { size: 1, color: 'blue' } },
    });
    await run.land(flying(run), { status: { url: 'x' } });
    await run.think();
    expect(ready(run)).toBe('True');
    expect(run.memo).toMatchObject({ spec: { size: 1, color: 'blue' }, status: { url: 'x', observedGeneration: 1 } });
    await run.update('apply', { spec: { size: 2 } }, 'u2');
    await run.think();
    expect(run.activities.get(flying(run))?.input).toMatchObject({ action: 'update', changes: [{ path: 'spec.size', old: 1, new: 2 }] });
    expect(ready(run)).toBe('Unknown');
    await run.land(flying(run), {});
    await run.think();
    await run.update('delete', {}, 'u3');
    await run.think();
    expect(run.activities.get(flying(run))?.input).toMatchObject({ operation: 'finalize', action: 'delete' });
    await run.land(flying(run), {});
    await run.think();
    expect(run.end).toMatchObject({ kind: 'completed' });
    await run.replay();
  });

  it('keeps the order of signals and updates that come before its first task', async () => {
    const jobs = [
      signalJob('apply', { spec: { size: 1 } }),
      signalJob('apply', { spec: { size: 2 } }),
      updateJob('apply', { spec: { size: 3 } }, 'u1'),
    ];
    const run = await Run.start(options, jobs);
    await run.think();
    expect(run.answers.get('u1')?.value).toMatchObject({ generation: 3 });
    expect((await object(run)).spec).toEqual({ size: 3, color: 'blue' });
    await run.replay();
  });

  it('counts a start argument as the first apply', async () => {
    const run = await Run.start({ ...options, input: { apiVersion: 'example.com/v1', kind: 'Widget', spec: { size: 7 } } });
    await run.think();
    expect((await object(run)).spec).toEqual({ size: 7, color: 'blue' });
    await run.replay();
  });

  it('changes nothing but a condition and an event when a signal is invalid', async () => {
    const run = await created();
    await run.land(flying(run), {});
    await run.think();
    await run.signal('apply', { spec: { size: 'big', colour: 1 } });
    await run.think();
    const resource = await object(run);
    expect(resource.metadata.generation).toBe(1);
    expect(resource.status?.conditions).toContainEqual(expect.objectContaining({ type: 'SpecAccepted', status: 'False' }));
    expect(run.activities.size).toBe(0);
    await run.signal('apply', { spec: { size: 1, color: 'red' } });
    await run.think();
    expect((await object(run)).status?.conditions).not.toContainEqual(expect.objectContaining({ type: 'SpecAccepted' }));
    await run.replay();
  });

  it('goes on saying that a signal was refused when its definition changes and the spec in force still fits', async () => {
    const run = await created();
    await run.land(flying(run), {});
    await run.think();
    await run.signal('apply', { spec: { size: 'big' } });
    await run.signal('readmit', { uid: 'd', generation: 1 });
    await run.think();
    expect((await object(run)).status?.conditions).toContainEqual(expect.objectContaining({ type: 'SpecAccepted', status: 'False' }));
    await run.signal('readmit', { uid: 'd', generation: 1 });
    await run.think();
    expect((await object(run)).status?.conditions).toContainEqual(expect.objectContaining({ type: 'SpecAccepted', status: 'False' }));
    await run.replay();
  });

  it('refuses what would change nothing before it costs anything', async () => {
    const run = await created();
    await run.land(flying(run), {});
    await run.think();
    const decisions = run.openDecisions;
    await run.update('apply', { spec: { size: 1 }, requestId: 'other', actor: 'me' }, 'u2');
    expect(run.answers.get('u2')?.failure).toBe('Unchanged');
    await run.update('apply', { metadata: { resourceVersion: '1' }, spec: { size: 9 } }, 'u3');
    expect(run.answers.get('u3')?.failure).toBe('Conflict');
    expect(run.openDecisions).toBe(decisions);
    await run.replay();
  });

  it('answers a repeated request with a version check as the first time, although its own write has moved the version', async () => {
    const run = await created();
    const { resourceVersion } = (await object(run)).metadata;
    const body = { metadata: { resourceVersion }, spec: { size: 2 }, requestId: 'r2' };
    await run.update('apply', body, 'u2');
    await run.think();
    await run.update('apply', body, 'u3');
    await run.think();
    expect(run.answers.get('u3')).toEqual(run.answers.get('u2'));
    expect((await object(run)).metadata.generation).toBe(2);
    await run.replay();
  });

  it('keeps with an answer how often it had been asked to look again when it went for it', async () => {
    const decide = widgetDecider();
    const asked: DecideRequest[] = [];
    const listen = (request: DecideRequest) => {
      asked.push(request);
      return decide(request);
    };
    const run = await created({ decide: listen });
    const nudges = () => Object.values(asked.at(-1)?.observed ?? {}).map(({ nudge }) => nudge);
    await run.land(flying(run), {});
    await run.think();
    expect(nudges()).toEqual([0]);
    await run.signal('reconcile');
    await run.think();
    await run.land(flying(run), {});
    await run.think();
    expect(nudges()).toEqual([1]);
    await run.replay();
  });

  it('lets a newer spec interrupt what an older one has under way', async () => {
    const run = await created();
    const first = flying(run);
    await run.update('apply', { spec: { size: 2 } }, 'u2');
    await run.think();
    expect(flying(run)).not.toBe(first);
    expect(run.activities.get(flying(run))?.input).toMatchObject({ spec: { size: 2 }, idempotencyKey: expect.stringMatching(/\/2$/) });
    await run.replay();
  });

  it('shows a failing handler after its attempts, and tries again by itself', async () => {
    const run = await created();
    await run.crash(flying(run), 'Boom', 'it broke');
    await run.think();
    expect((await object(run)).status).toMatchObject({
      phase: 'Failed',
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'False', reason: 'Boom' })]),
    });
    expect(run.activities.size).toBe(0);
    await run.ring();
    await run.think();
    await run.land(flying(run), {});
    await run.think();
    expect(ready(run)).toBe('True');
    await run.replay();
  });

  it('does not try an InvalidSpec again until the spec changes, and never holds back a delete', async () => {
    const run = await created();
    await run.crash(flying(run), 'InvalidSpec', 'no');
    await run.think();
    expect(run.timers.size).toBe(0);
    await run.update('delete', {}, 'u2');
    await run.think();
    expect(run.activities.get(flying(run))?.input).toMatchObject({ operation: 'finalize' });
    await run.replay();
  });

  it('ends itself when no spec was ever accepted', async () => {
    const refused = await Run.start(options, [updateJob('apply', { spec: { size: -1 } }, 'u1')]);
    await refused.think();
    expect(refused.answers.get('u1')?.failure).toBe('Invalid');
    expect(refused.end).toMatchObject({ kind: 'completed' });
    const signalled = await Run.start(options, [signalJob('apply', { spec: { size: -1 } })]);
    await signalled.think();
    expect(signalled.end).toMatchObject({ kind: 'failed', value: expect.stringContaining('spec.size') });
    await refused.replay();
    await signalled.replay();
  });

  it('is not found by its owner any more when it has been let go, nor in its next run', async () => {
    const owner = { apiVersion: 'app.colonies.io/v1', kind: 'Application', name: 'shop', uid: 'o', controller: true };
    const run = await Run.start({ ...options, decide: widgetDecider({ events: 40 }) }, [
      updateJob('apply', { metadata: { ownerReferences: [owner] }, spec: { size: 1 } }, 'u1'),
    ]);
    await run.think();
    expect(run.attributes.ColonyOwner).toBe('Application/shop/o');
    await run.update('apply', { metadata: { ownerReferences: [] }, spec: { size: 1 } }, 'u2');
    await run.think();
    expect(run.attributes.ColonyOwner ?? null).toBeNull();
    run.historyLength = 50;
    await run.land(flying(run), {});
    await run.think();
    expect(run.end).toMatchObject({ kind: 'continued' });
    expect(run.attributes).toMatchObject({ ColonyPhase: 'Ready' });
    expect(run.attributes.ColonyOwner ?? null).toBeNull();
    await run.replay();
  });

  it('waits for outside finalizers, and a forced delete says what it leaves', async () => {
    const run = await created();
    await run.update('apply', { metadata: { finalizers: ['audit.example.com/log'] } }, 'u2');
    await run.think();
    await run.update('delete', {}, 'u3');
    await run.think();
    await run.land(flying(run), {});
    await run.think();
    expect(run.end).toBeUndefined();
    expect((await object(run)).status?.conditions).toContainEqual(expect.objectContaining({ type: 'DeletionBlocked' }));
    await run.update('delete', { force: true }, 'u4');
    await run.think();
    expect(run.answers.get('u4')?.value).toMatchObject({ leftBehind: [expect.stringContaining('audit.example.com/log')] });
    expect(run.end).toMatchObject({ kind: 'completed' });
    await run.replay();
  });

  it('carries everything through continue-as-new: spec, revisions, answered requests, events', async () => {
    const decide = widgetDecider({ events: 40 });
    const run = await created({ decide });
    await run.update('apply', { spec: { size: 2 }, requestId: 'r2' }, 'u2');
    await run.think();
    run.historyLength = 50;
    await run.land(flying(run), { status: { a: 1 } });
    await run.think();
    expect(run.end).toMatchObject({ kind: 'continued' });
    await run.replay();
    const next = await Run.start({ ...options, decide: widgetDecider(), input: run.end?.value });
    await next.think();
    expect(next.activities.size).toBe(0);
    await next.update('apply', { spec: { size: 2 }, requestId: 'r2' }, 'u5');
    await next.think();
    expect(next.answers.get('u5')?.value).toEqual(run.answers.get('u2')?.value);
    await next.update('apply', { spec: { size: 3 } }, 'u6');
    await next.think();
    await next.update('apply', { spec: { size: 2 }, requestId: 'r2' }, 'u7');
    await next.think();
    expect(next.answers.get('u7')?.value).toEqual(run.answers.get('u2')?.value);
    expect((await object(next)).spec).toEqual({ size: 3, color: 'blue' });
    expect(await next.query('history')).toHaveLength(3);
    await next.replay();
  });
});
