import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createActivities, defaultTuning } from '../../activities/index.ts';
import type { DecideRequest } from '../../definitions/core/decision.ts';
import type { ApplyAnswer, ApplyRequest } from '../../definitions/core/messages.ts';
import type { Resource } from '../../definitions/core/resource.ts';
import { type RunningExecutor, runExecutor } from '../../src/executor/run.ts';
import { workflowCode } from '../../src/node/workflow-code.ts';
import { applyUpdate } from '../../workflows/messages.ts';
import { widgetDecider } from '../activation/widget.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress, unhurried } from '../support/temporal.ts';
import { type History, historiesOf, troubles } from './histories.ts';

const RESOURCES = 8;
const WRITERS = 4;
const WRITES = 20;
/** A task that failed is done again after seconds, and on a busy machine after more of them. */
const PATIENCE_MS = 60_000;
const ROLLOVER = { events: 60, bytes: 1_000_000, updates: 1_000 };

/** What a writer was told about one of its writes, and when. */
interface Acknowledged {
  readonly value: string;
  readonly generation: number;
  readonly asked: number;
  readonly told: number;
}

const pick = (n: number): number => Math.floor(Math.random() * n);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const names = Array.from({ length: RESOURCES }, (_, index) => `widgets.example.com/default/w${index}`);

let client: Client;
let worker: TestWorker;
let executor: RunningExecutor;
const acknowledged = new Map<string, Acknowledged[]>(names.map((name) => [name, []]));
/** Values by generation, as the handler was given them. */
const handled = new Map<string, Map<number, string>>(names.map((name) => [name, new Map()]));
let clock = 0;

beforeAll(async () => {
  const namespace = leaseNamespace();
  client = await connectClient(namespace);
  const decide = widgetDecider(ROLLOVER);
  const slowDecide = async (request: DecideRequest) => {
    if (pick(3) === 0) await pause(pick(60));
    return decide(request);
  };
  const activities = { ...createActivities({ client, tuning: defaultTuning, rollover: ROLLOVER }), decide: slowDecide };
  worker = await startWorker(namespace, { worker: { ...unhurried, activities } });
  const functions = {
    reconcile_widget: async ({ metadata, spec }: { metadata: { name: string; generation: number }; spec: unknown }) => {
      handled.get(`widgets.example.com/default/${metadata.name}`)?.set(metadata.generation, (spec as { color: string }).color);
      await pause(pick(40));
      if (pick(10) === 0) throw new Error('now and then it fails');
      return {};
    },
  };
  executor = await runExecutor({ executorType: 'makers', functions }, { address: temporalAddress(), temporalNamespace: namespace });
});

afterAll(async () => {
  executor.stop();
  await executor.done;
  await worker.stop();
  await client.connection.close();
});

/** As the client does it: again with the same request id until somebody says yes or no. */
async function apply(workflowId: string, body: ApplyRequest): Promise<ApplyAnswer | string> {
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    try {
      const startWorkflowOperation = new WithStartWorkflowOperation('Widget', {
        workflowId,
        taskQueue: 'colony',
        workflowIdConflictPolicy: 'USE_EXISTING',
        args: [],
      });
      return await client.workflow.executeUpdateWithStart(applyUpdate, { args: [body], startWorkflowOperation });
    } catch (error) {
      const cause = (error as { cause?: unknown }).cause;
      if (cause instanceof ApplicationFailure && cause.type && cause.type !== 'UnprocessedUpdate') return cause.type;
      if (Date.now() > until) throw error;
      await pause(50);
    }
  }
}

async function write(workflowId: string, writer: number, n: number): Promise<void> {
  const value = `w${writer}-${n}`;
  const body: ApplyRequest = { requestId: value, spec: { size: n, color: value } };
  const handle = client.workflow.getHandle(workflowId);
  if (pick(5) === 0) await handle.signal(pick(2) ? 'reconcile' : 'nonsense').catch(() => {});
  if (pick(6) === 0) await handle.signal('apply', { spec: { size: 'bad' } }).catch(() => {});
  if (pick(3) === 0) await handle.query('resource').catch(() => {});
  const asked = ++clock;
  const [answer, repeated] = await Promise.all([
    apply(workflowId, body),
    pick(4) === 0 ? pause(pick(30)).then(() => apply(workflowId, body)) : undefined,
  ]);
  if (typeof answer === 'string') throw new Error(`a valid write was refused: ${answer}`);
  // `Unchanged` (a string) is a legal answer to a repeat that finds its own spec in force.
  if (repeated && typeof repeated !== 'string') expect(repeated).toEqual(answer);
  acknowledged.get(workflowId)?.push({ value, generation: answer.generation, asked, told: ++clock });
}

describe('many writers, signals, slow decisions, flights and forced rollovers', () => {
  it('lose, reorder and repeat nothing that was acknowledged', async () => {
    const writers = names.flatMap((name) => Array.from({ length: WRITERS }, (_, writer) => ({ name, writer })));
    await Promise.all(
      writers.map(async ({ name, writer }) => {
        for (let n = 0; n < WRITES; n++) await write(name, writer, n);
      }),
    );
    for (const name of names) {
      const acks = [...(acknowledged.get(name) ?? [])].sort((a, b) => a.generation - b.generation);
      const resource = (await client.workflow.getHandle(name).query('resource')) as Resource;
      expect(acks).toHaveLength(WRITERS * WRITES);
      expect(new Set(acks.map(({ generation }) => generation)).size, 'every write has its own generation').toBe(acks.length);
      expect(resource.metadata.generation, 'nothing was written twice').toBe(acks.length);
      expect(resource.spec.color, 'the last acknowledged write is in force').toBe(acks.at(-1)?.value);
      for (const [index, later] of acks.entries()) {
        const overtaken = acks.slice(0, index).find((earlier) => earlier.asked > later.told);
        expect(overtaken, 'a write asked for after another was acknowledged comes after it').toBeUndefined();
      }
      const values = new Map(acks.map(({ generation, value }) => [generation, value]));
      for (const [generation, value] of handled.get(name) ?? [])
        expect(values.get(generation), 'the handler saw what was acknowledged').toBe(value);
    }
  }, 400_000);

  it('leave histories that all replay, without a failed task', async () => {
    const histories: { workflowId: string; history: History }[] = [];
    for (const workflowId of names) {
      const { metadata } = (await client.workflow.getHandle(workflowId).query('resource')) as Resource;
      const runs = await historiesOf(client, workflowId, metadata.uid);
      expect(runs.length, 'the run was rolled over').toBeGreaterThan(3);
      for (const { history } of runs) histories.push({ workflowId, history });
    }
    expect(histories.flatMap(({ history }) => troubles(history))).toEqual([]);
    const failures: string[] = [];
    for await (const { error, workflowId } of Worker.runReplayHistories({ ...workflowCode(), replayName: 'stress' }, histories)) {
      if (error) failures.push(`${workflowId}: ${error.message}`);
    }
    expect(failures).toEqual([]);
  }, 400_000);
});
