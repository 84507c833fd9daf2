import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineKind, type Kind } from '../definitions/core/kind.ts';
import { limits } from '../definitions/core/limits.ts';
import type { Plan, View } from '../definitions/core/plan.ts';
import type { Resource } from '../definitions/core/resource.ts';
import { builtInKinds } from '../definitions/kinds.ts';
import type { ColonyClient } from '../src/client/api.ts';
import { connect, InvalidError } from '../src/client/index.ts';
import type { HandlerRequest, HandlerResult } from '../src/executor/index.ts';
import { type RunningExecutor, runExecutor } from '../src/executor/run.ts';
import { Probe } from './support/probe.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

const namespace = leaseNamespace();
const KB = 1024;
/** Three bytes each: what counts characters takes this for a third of its size. */
const WIDE = '語';
const SERVER_LIMIT = 2 * 1024 * KB;

let client: Client;
let colony: ColonyClient;
let worker: TestWorker;
let executor: RunningExecutor;

const definition = (kind: string, more: object = {}) => ({
  kind: 'ResourceDefinition',
  metadata: { name: `${kind.toLowerCase()}s.example.com` },
  spec: {
    group: 'example.com',
    version: 'v1',
    names: { kind, plural: `${kind.toLowerCase()}s` },
    scope: 'Namespaced',
    handler: null,
    ...more,
  },
});

/** A built-in kind whose planner does what its spec says. */
const planner = defineKind({
  group: 'guards.example.com',
  version: 'v1',
  names: { kind: 'Planner', listKind: 'PlannerList', singular: 'planner', plural: 'planners', shortNames: [] },
  scope: 'Namespaced',
  spec: z.strictObject({ plan: z.enum(['fine', 'throws', 'many', 'fat']) }),
  plan: planAsTold,
  hasCleanUp: false,
});

function planAsTold({ spec }: View<{ plan: string }>): Plan {
  if (spec.plan === 'throws') throw new Error(`no plan ${'x'.repeat(100 * KB)}`);
  const step = (n: number) => ({
    key: `k${n}`,
    about: `lane${n}`,
    activity: 'nothing',
    reason: 'Planning',
    summary: 'nothing',
    input: spec.plan === 'fat' ? { text: WIDE.repeat(10 * KB) } : {},
    timeouts: { startToCloseMs: 1_000 },
    retry: { maximumAttempts: 1, initialIntervalMs: 1_000, maximumIntervalMs: 1_000 },
  });
  const steps = { fine: 0, throws: 0, many: 2_000, fat: 20 }[spec.plan] ?? 0;
  return { steps: Array.from({ length: steps }, (_, n) => step(n)), status: { plan: spec.plan } };
}

/** Answers as large as the spec says. */
async function answer({ spec, operation }: HandlerRequest): Promise<HandlerResult> {
  if (operation === 'finalize') return {};
  return { status: { text: String(spec.fill ?? 'x').repeat(Number(spec.chars ?? 0)), colour: spec.colour }, ...(spec.more as object) };
}

beforeAll(async () => {
  (builtInKinds as Kind[]).push(planner as unknown as Kind);
  worker = await startWorker(namespace, { config: { firstRetryMs: 50, rolloverUpdates: 150 } });
  client = await connectClient(namespace);
  colony = await connect({ address: temporalAddress(), temporalNamespace: namespace, informer: { pollMs: 100 } });
  executor = await runExecutor(
    { executorType: 'answerers', functions: { answer } },
    { address: temporalAddress(), temporalNamespace: namespace },
  );
  const wide = { type: 'object', properties: { n: { type: 'integer' }, text: { type: 'string', default: 'x'.repeat(60_000) } } };
  await Promise.all([
    colony.apply(definition('Box')),
    colony.apply(definition('Expanding', { schema: wide })),
    colony.apply(definition('Answer', { handler: { executorType: 'answerers', functionName: 'answer' } })),
  ]);
});

afterAll(async () => {
  executor?.stop();
  await executor?.done;
  await colony?.close();
  await worker?.stop();
  await client?.connection.close();
  (builtInKinds as Kind[]).pop();
});

const manifest = (kind: string, name: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind,
  metadata: { name, ...metadata },
  spec,
});
const probe = (kind: string, name: string): Probe => new Probe(client, `${kind.toLowerCase()}s.example.com/default/${name}`, kind);
const box = async (name: string, body: object = { spec: { colour: 'red' } }): Promise<Probe> => {
  const one = probe('Box', name);
  expect(await one.apply(body)).toMatchObject({ operation: 'created', generation: 1 });
  return one;
};
const boxes = () => colony.resources('example.com/v1', 'Box');
const issuesOf = async (refused: Promise<unknown>): Promise<readonly { path: string; message: string }[]> => {
  const error = await refused.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(InvalidError);
  return (error as InvalidError).issues;
};
const labels = (count: number, valueLength = 1): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`label-${String(n).padStart(3, '0')}`, 'v'.repeat(valueLength)]));
/** The states that were handed from run to run, as many bytes of JSON. */
const carriedBytes = async (one: Probe): Promise<number[]> =>
  (await one.runs()).flatMap(({ history }) => {
    const payloads = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.input?.payloads ?? [];
    return payloads.map(({ data }) => data?.length ?? 0);
  });
/** The largest payload that stands anywhere in the histories of a resource. */
const largestMarker = async (one: Probe): Promise<number> => {
  const events = (await one.runs()).flatMap(({ history }) => history.events ?? []);
  const sizes = events.flatMap(({ markerRecordedEventAttributes }) =>
    Object.values(markerRecordedEventAttributes?.details ?? {}).flatMap(({ payloads }) =>
      (payloads ?? []).map(({ data }) => data?.length ?? 0),
    ),
  );
  return Math.max(0, ...sizes);
};

describe('labels', () => {
  it('of which there are 200 are refused at the door, with their path', async () => {
    const issues = await issuesOf(colony.apply(manifest('Box', 'door', {}, { labels: labels(200) })));
    expect(issues.map(({ path }) => path)).toEqual(['metadata.labels']);
  });

  it('of which there are 200 are refused past the door, and the resource says so', async () => {
    const one = await box('many-labels');
    expect(await one.update('apply', { metadata: { labels: labels(200) } })).toBe('Invalid');
    await one.signal('apply', { metadata: { labels: labels(200) } });
    expect((await one.shows('SpecAccepted', { status: 'False' })).message).toContain('metadata.labels');
    expect((await one.resource()).metadata).toMatchObject({ labels: {}, generation: 1 });
    expect((await one.events()).map(({ reason }) => reason)).toContain('SpecRefused');
    await one.isHealthy();
  });

  it('that do not all fit into the index are in the object, can be selected by, and the resource says which are left out', async () => {
    const all = labels(limits.labels, 60);
    const one = await box('long-labels', { metadata: { labels: all }, spec: {} });
    const { message } = await one.shows('LabelsIndexed', { status: 'False' });
    expect((await one.resource()).metadata.labels).toEqual(all);
    const { raw } = await one.handle.describe();
    const data = raw.workflowExecutionInfo?.searchAttributes?.indexedFields?.ColonyLabels?.data;
    const indexed = (JSON.parse(Buffer.from(data ?? '[]').toString()) as string[]).map((label) => label.split('=')[0] ?? '');
    expect(data?.length).toBeLessThanOrEqual(limits.searchAttributeBytes);
    expect(indexed.length).toBeGreaterThan(10);
    const leftOut = Object.keys(all).filter((key) => !indexed.includes(key));
    expect(message).toContain(String(leftOut.length));
    expect(message).toContain(leftOut[0]);
    expect(message).not.toContain(indexed.at(-1));
    const last = Object.entries(all).at(-1)?.join('=') ?? '';
    await expect.poll(async () => (await boxes().list({ labels: last })).map(({ metadata }) => metadata.name)).toEqual(['long-labels']);
    expect(await one.apply({ metadata: { labels: labels(5, 60) } })).toMatchObject({ operation: 'configured' });
    await expect.poll(() => one.condition('LabelsIndexed')).toBeUndefined();
    await one.isHealthy();
  });
});

describe('a huge spec', () => {
  it.each([
    { name: 'plain', fill: 'x', width: 1 },
    { name: 'wide', fill: WIDE, width: 3 },
  ])(
    'just below the limit is stored and read back whole, though the index holds only an outline ($name)',
    async ({ name, fill, width }) => {
      const text = fill.repeat(Math.floor((limits.manifestBytes - 200) / width));
      const outcome = await colony.apply(manifest('Box', `huge-${name}`, { text }));
      expect(outcome).toMatchObject({ operation: 'created' });
      const one = probe('Box', `huge-${name}`);
      await one.shows('Ready', { status: 'True' });
      expect((await boxes().get(`huge-${name}`)).spec).toEqual({ text });
      const { memo } = await one.handle.describe();
      expect([memo?.partial, memo?.spec]).toEqual([true, undefined]);
      const listed = async () => (await boxes().list()).find(({ metadata }) => metadata.name === `huge-${name}`);
      await expect.poll(listed).toBeDefined();
      expect((await listed())?.spec).toEqual({ text });
      await colony.apply(manifest('Box', `huge-${name}`, { text: 'small' }));
      await expect.poll(async () => (await one.handle.describe()).memo).toMatchObject({ partial: false, spec: { text: 'small' } });
      await one.isHealthy();
    },
  );

  it('above the limit is refused at the door and past it, with a path; the spec in force stays', async () => {
    const spec = { text: 'x'.repeat(limits.manifestBytes) };
    expect((await issuesOf(colony.apply(manifest('Box', 'too-huge', spec)))).map(({ path }) => path)).toEqual(['manifest']);
    const one = await box('too-huge');
    expect(await one.update('apply', { spec })).toBe('Invalid');
    expect(await one.update('apply', { spec: { text: WIDE.repeat(87 * KB) } })).toBe('Invalid');
    expect(await one.update('apply', { spec: { text: WIDE.repeat(100 * KB) } })).toBe('TooLarge');
    await one.signal('apply', { spec });
    expect(await one.shows('SpecAccepted', { status: 'False' })).toMatchObject({ message: expect.stringContaining('bytes') });
    expect((await one.resource()).spec).toEqual({ colour: 'red' });
    await one.isHealthy();
  });

  it('above the limit as a first word ends the workflow, which says why', async () => {
    const spec = { text: 'x'.repeat(limits.manifestBytes) };
    const workflowId = 'boxs.example.com/default/never';
    const handle = await client.workflow.start('Box', { workflowId, taskQueue: 'colony', args: [{ spec }] });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'Invalid', message: expect.stringContaining('bytes') } });
    const signalled = await client.workflow.signalWithStart('Box', {
      workflowId,
      taskQueue: 'colony',
      signal: 'apply',
      signalArgs: [{ spec }],
    });
    await expect(signalled.result()).rejects.toMatchObject({ cause: { type: 'Invalid', message: expect.stringContaining('bytes') } });
    await probe('Box', 'never').isHealthy('FAILED');
  });

  it('in force can be replaced by another, as the handler is told', async () => {
    const one = probe('Answer', 'huge');
    const spec = (fill: string) => ({ list: Array.from({ length: 200 }, () => fill.repeat(1_200)) });
    expect(await one.apply({ spec: spec('a') })).toMatchObject({ operation: 'created' });
    await one.shows('Ready', { status: 'True' });
    expect(await one.apply({ spec: spec('b') })).toMatchObject({ operation: 'configured' });
    await one.shows('Ready', { status: 'True', observedGeneration: 2 });
    await one.isHealthy();
  });

  it('that only its defaults make huge is refused when it comes to that', async () => {
    const fields = Array.from({ length: 5 }, (_, n) => [`f${n}`, { type: 'string', default: 'd'.repeat(10_000) }]);
    const item = { type: 'object', properties: Object.fromEntries(fields) };
    const schema = { type: 'object', properties: { items: { type: 'array', items: item } } };
    await colony.apply(definition('Swelling', { schema }));
    const sent = (items: number, chars: number) =>
      colony.apply(manifest('Swelling', 'one', { items: [{ f0: 'x'.repeat(chars) }, ...Array.from({ length: items }, () => ({}))] }));
    expect(await sent(3, 10_000)).toMatchObject({ operation: 'created' });
    expect((await issuesOf(sent(4, 150_000))).map(({ path }) => path)).toEqual(['spec']);
    expect((await issuesOf(sent(40, 1))).map(({ path }) => path)).toEqual(['spec']);
    await probe('Swelling', 'one').isHealthy();
  });
});

describe('many applies at once', { timeout: 240_000 }, () => {
  const COUNT = 25;
  const spec = (n: number, fill: string, chars: number) => ({ n, text: fill.repeat(chars) });

  it('of 200 kB, by update: all are answered, in force is the last', async () => {
    const one = await box('updates');
    const send = (n: number) => colony.apply(manifest('Box', 'updates', spec(n, 'x', 200_000)));
    const answers = await Promise.all(Array.from({ length: COUNT }, (_, n) => send(n)));
    const generations = answers.map(({ generation }) => generation).sort((a, b) => a - b);
    expect(generations).toEqual(Array.from({ length: COUNT }, (_, n) => n + 2));
    const last = answers.findIndex(({ generation }) => generation === COUNT + 1);
    expect((await one.resource()).spec).toMatchObject({ n: last });
    await one.rollsOver();
    expect(Math.max(...(await carriedBytes(one)))).toBeLessThanOrEqual(limits.carriedStateBytes);
    await one.isHealthy();
    await one.replays();
  });

  it('of 200 kB, by updates that do not wait for each other: Temporal may refuse some, the resource goes on', async () => {
    const one = await box('plain-updates');
    const send = (n: number) => one.update('apply', { spec: spec(n, 'x', 200_000) });
    const all = () => Promise.allSettled(Array.from({ length: COUNT }, (_, n) => send(n)));
    const answers = await client.withDeadline(Date.now() + 5_000, all);
    const told = answers.filter((given) => given.status === 'fulfilled' && typeof given.value === 'object').length;
    const { generation } = (await one.resource()).metadata;
    expect(generation, 'what was acknowledged is written').toBeGreaterThanOrEqual(told + 1);
    expect(await one.apply({ spec: { colour: 'green' } })).toMatchObject({ operation: 'configured' });
    await one.isHealthy();
    await one.replays();
  });

  it.each([
    { name: 'plain', fill: 'x', chars: 200_000, count: COUNT },
    { name: 'wide', fill: WIDE, chars: 66_000, count: 10 },
  ])(
    'of 200 kB, by signal: all are taken, and what is carried to the next run is bounded ($name)',
    async ({ name, fill, chars, count }) => {
      const one = await box(`signals-${name}`);
      await Promise.all(Array.from({ length: count }, (_, n) => one.signal('apply', { spec: spec(n, fill, chars) })));
      await expect.poll(() => one.publishedGeneration(), { timeout: 120_000, interval: 200 }).toBe(count + 1);
      await one.rollsOver();
      expect(Math.max(...(await carriedBytes(one)))).toBeLessThanOrEqual(limits.carriedStateBytes);
      await one.isHealthy();
      await one.replays();
    },
  );

  it('whose specs only their defaults make large are decided in parts that the history can hold', async () => {
    const one = probe('Expanding', 'burst');
    await one.apply({ spec: { n: -1 } });
    await Promise.all(Array.from({ length: 50 }, (_, n) => one.signal('apply', { spec: { n } })));
    await expect.poll(() => one.publishedGeneration(), { timeout: 120_000, interval: 200 }).toBe(51);
    expect(await largestMarker(one)).toBeLessThan(SERVER_LIMIT / 2);
    await one.isHealthy();
    await one.replays();
  });

  it('with 300 request ids: the last hundred are remembered, also by the next run', async () => {
    const one = await box('requests');
    const first = new Map<string, unknown>();
    for (let n = 0; n < 300; n += 10) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, i) => {
          const requestId = `request-${n + i}`;
          first.set(requestId, await one.update('apply', { requestId, spec: { n: n + i } }));
        }),
      );
    }
    await one.rollsOver();
    for (const n of [299, 250, 210]) {
      expect(await one.update('apply', { requestId: `request-${n}`, spec: { n } })).toEqual(first.get(`request-${n}`));
    }
    expect((await one.resource()).metadata.generation).toBe(301);
    await one.isHealthy();
    await one.replays();
  });
});

describe('what a caller says beside the manifest', () => {
  it('is bounded: request ids, actors, uids, versions, reasons to delete', async () => {
    const one = await box('callers');
    const long = 'x'.repeat(200 * KB);
    expect(await one.update('apply', { requestId: long, spec: { n: 1 } })).toBe('Invalid');
    for (let n = 0; n < 12; n++) expect(await one.update('apply', { actor: long, spec: { n } })).toMatchObject({ generation: n + 2 });
    expect(await one.update('apply', { metadata: { resourceVersion: long }, spec: {} })).toBe('Conflict');
    expect(await one.update('command', { name: long })).toBe('UnknownCommand');
    expect(await one.update('delete', { uid: long })).toBe('Invalid');
    expect(await one.update('delete', { propagation: long })).toBe('Invalid');
    expect(JSON.stringify(await one.handle.query('history')).length).toBeLessThan(10 * KB);
    await one.isHealthy();
  });

  it('about the status is bounded as a whole, however often it is said', async () => {
    const one = await box('reported');
    const part = (n: number) => one.update('status', { status: { [`field${n}`]: 'x'.repeat(50 * KB) } });
    expect(await part(0)).toMatchObject({ generation: 1 });
    const answers = [];
    for (let n = 1; n < 20; n++) answers.push(await part(n));
    expect(answers.at(-1)).toBe('TooLarge');
    expect((await one.resource()).status).toHaveProperty('field0');
    await one.isHealthy();
  });

  it('about the world is bounded as a whole, however many lanes it names', async () => {
    const one = await box('lanes');
    const answers = [];
    for (let n = 0; n < 20; n++) answers.push(await one.update('observed', { about: `lane${n}`, value: 'x'.repeat(20 * KB) }));
    expect(answers[0]).toMatchObject({ generation: 1 });
    expect(answers.at(-1)).toBe('TooLarge');
    expect(await one.update('observed', { about: 'lane0', value: 'y'.repeat(20 * KB) })).toMatchObject({ generation: 1 });
    await one.isHealthy();
  });
});

describe('a handler', () => {
  it.each([
    { name: 'over the limit', chars: 300 * KB, fill: 'x', reason: 'ResultTooLarge' },
    { name: 'over the limit in bytes, not in characters', chars: 100 * KB, fill: WIDE, reason: 'ResultTooLarge' },
    { name: 'over the server’s own limit', chars: 3_000 * KB, fill: 'x', reason: 'Error' },
  ])('with an answer $name: the resource says so, goes on, and can be cured and deleted', async ({ name, chars, fill, reason }) => {
    const one = probe('Answer', `answer-${name.replace(/\W+/g, '-')}`);
    expect(await one.apply({ spec: { chars, fill } })).toMatchObject({ operation: 'created' });
    expect(await one.shows('Ready', { status: 'False', reason })).toMatchObject({ message: expect.stringMatching(/\d|limit/) });
    await one.isHealthy();
    expect(await one.apply({ spec: { colour: 'blue' } })).toMatchObject({ generation: 2 });
    await one.shows('Ready', { status: 'True', observedGeneration: 2 });
    expect((await one.resource()).status).toMatchObject({ colour: 'blue' });
    await one.update('delete', {});
    await one.isHealthy('COMPLETED');
  });

  it.each([
    { name: 'plain', chars: 200 * KB, fill: 'x' },
    { name: 'wide', chars: 60 * KB, fill: WIDE },
  ])('with a status of about 200 kB: the status is cut to its conditions, which say so ($name)', async ({ name, chars, fill }) => {
    const one = probe('Answer', `status-${name}`);
    await one.apply({ spec: { chars, fill } });
    await one.shows('StatusTooLarge', { status: 'True' });
    const { status } = await one.resource();
    expect(status).toMatchObject({ observedGeneration: 1 });
    expect(status).not.toHaveProperty('text');
    expect((await one.events()).map(({ reason }) => reason)).toContain('StatusTooLarge');
    expect(await one.apply({ spec: { colour: 'blue' } })).toMatchObject({ generation: 2 });
    await one.shows('Ready', { status: 'True', observedGeneration: 2 });
    expect(await one.condition('StatusTooLarge')).toBeUndefined();
    await one.isHealthy();
  });

  it('that answers with texts of all sorts leaves a resource that can be read and listed', async () => {
    const odd = `a\u0000b\u001b[31m${'😀'.repeat(200)}\ud800|<b>\r\n`;
    const conditions = [{ type: 'Odd', status: 'True', reason: 'Odd', message: odd }];
    const one = probe('Answer', 'odd');
    await one.apply({ spec: { more: { status: { phase: odd, text: odd }, conditions } } });
    await one.shows('Odd', { status: 'True' });
    const { raw } = await one.handle.describe();
    const data = raw.workflowExecutionInfo?.searchAttributes?.indexedFields?.ColonyPhase?.data;
    const phase = JSON.parse(Buffer.from(data ?? '""').toString()) as string;
    expect(Buffer.byteLength(phase)).toBeLessThanOrEqual(limits.searchAttributeBytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL takes no NUL, people no escape sequences
    expect(phase).not.toMatch(/[\u0000-\u001f\u007f\ud800-\udfff](?![\udc00-\udfff])/u);
    const listed = async (): Promise<Resource | undefined> =>
      (await colony.resources('example.com/v1', 'Answer').list()).find(({ metadata }) => metadata.name === 'odd');
    await expect.poll(listed).toMatchObject({ status: { text: expect.stringContaining('😀') } });
    await one.isHealthy();
  });
});

describe('a planner', () => {
  it.each(['throws', 'many', 'fat'])(
    'whose plan %s is a condition: the last status stays, the resource goes on and is cured by a good plan',
    async (plan) => {
      const one = new Probe(client, `planners.guards.example.com/default/${plan}`, 'Planner');
      expect(await one.apply({ spec: { plan: 'fine' } })).toMatchObject({ operation: 'created' });
      await one.shows('Ready', { status: 'True' });
      expect(await one.apply({ spec: { plan } })).toMatchObject({ generation: 2 });
      const { message } = await one.shows('PlanFailed', { status: 'True' });
      expect(message.length).toBeLessThanOrEqual(limits.messageChars);
      expect((await one.resource()).status).toMatchObject({ plan: 'fine', observedGeneration: 1 });
      expect((await one.events()).map(({ reason }) => reason)).toContain('PlanFailed');
      expect(await largestMarker(one)).toBeLessThan(limits.decisionBytes);
      expect(await one.apply({ spec: { plan: 'fine' } })).toMatchObject({ generation: 3 });
      await one.shows('Ready', { status: 'True', observedGeneration: 3 });
      expect(await one.condition('PlanFailed')).toBeUndefined();
      await one.isHealthy();
    },
  );
});
