import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createActivities, defaultTuning } from '../../activities/index.ts';
import type { Resource } from '../../definitions/core/resource.ts';
import { createLog } from '../../src/node/log.ts';
import { Rescue } from '../../src/node/rescue/rescue.ts';
import { workflowCode } from '../../src/node/workflow-code.ts';
import { applyUpdate } from '../../workflows/messages.ts';
import { widgetDecider } from '../activation/widget.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker } from '../support/temporal.ts';

const ROLLOVER = { events: 10_000, bytes: 10_000_000, updates: 1_000 };

let client: Client;
let namespace: string;
let activities: object;

beforeAll(async () => {
  namespace = leaseNamespace();
  client = await connectClient(namespace);
  const decide = widgetDecider(ROLLOVER);
  activities = { ...createActivities({ client, tuning: defaultTuning, rollover: ROLLOVER }), decide, decideOddly: decide };
});

afterAll(() => client.connection.close());

/** Workflow code that decides what is `odd` in a way of its own: what it writes then, ours cannot follow. */
function oddCode(): { readonly code: string } {
  const code = readFileSync(workflowCode().workflowBundle.codePath, 'utf8');
  const odd = code.replace(
    /const \{ decide \} = (.*\{[^}]*\{[^}]*\}[^}]*\}\));/,
    (_all, proxy) =>
      `const { decide: plain, decideOddly } = ${proxy};\nconst decide = (request) => (JSON.stringify(request).includes('odd') ? decideOddly : plain)(request);`,
  );
  expect(odd).not.toBe(code);
  return { code: odd };
}

const start = (more: Partial<WorkerOptions> = {}): Promise<TestWorker> => startWorker(namespace, { worker: { activities, ...more } });

describe('a resource whose history the workflow code cannot follow', () => {
  it('is set back to where it can, with every write that was acknowledged since', async () => {
    const id = 'widgets.example.com/default/w';
    const apply = (color: string) => client.workflow.getHandle(id).executeUpdate(applyUpdate, { args: [{ spec: { size: 1, color } }] });
    let worker = await start();
    await client.workflow.start('Widget', { workflowId: id, taskQueue: 'colony', args: [], workflowTaskTimeout: '2s' });
    const first = await apply('red');
    await worker.stop();

    worker = await start({ workflowBundle: oddCode() });
    await apply('odd');
    const last = await apply('blue');
    await worker.stop();

    const rescue = new Rescue({ log: createLog('silent', 'test'), lookMs: 100 });
    const over = new AbortController();
    worker = await start(workflowCode((run) => rescue.noteBuilt(run)));
    const watching = rescue.run(client, over.signal);
    const { runId } = await client.workflow.getHandle(id).describe();
    await expect.poll(async () => (await client.workflow.getHandle(id).describe()).runId, { timeout: 60_000 }).not.toBe(runId);
    const next = await apply('green');
    over.abort();
    await watching;

    expect(next).toMatchObject({ uid: first.uid, generation: last.generation + 1 });
    const resource = (await client.workflow.getHandle(id).query('resource')) as Resource;
    expect(resource.spec).toEqual({ size: 1, color: 'green' });
    const { events = [] } = await client.workflow.getHandle(id).fetchHistory();
    const reset = events?.filter(({ workflowTaskFailedEventAttributes: failed }) => failed?.newRunId) ?? [];
    await worker.stop();
    expect(reset).toHaveLength(1);
  }, 120_000);
});
