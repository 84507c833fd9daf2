import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { connect } from '../src/client/connect.ts';
import { cloneRoot } from '../src/config.ts';
import { runExecutor } from '../src/executor/run.ts';
import { definition, handle, scenarios } from './replay/scenarios.ts';
import { historiesOf } from './stress/histories.ts';
import { connectClient, leaseNamespace, startWorker, temporalAddress } from './support/temporal.ts';

/** Recorded with the code of its day, and only ever added to: `RECORD=1 npx vitest run test/replay.test.ts`. */
const folder = join(import.meta.dirname, 'fixtures', 'histories');
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
const bundle = { codePath: join(cloneRoot(), 'dist', 'workflow-bundle.js') };

const historyIn = (file: string): { events: Record<string, unknown>[] } => JSON.parse(readFileSync(join(folder, file), 'utf8'));

async function replay(history: unknown): Promise<string | undefined> {
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: bundle }, [{ workflowId: 'replayed', history }]))
    return error?.message;
  return 'nothing was replayed';
}

describe('recorded histories', () => {
  it('are all there', () => {
    const recorded = new Set(files.map((file) => file.replace(/\.\d+\.json$/, '')));
    expect([...recorded].sort()).toEqual(Object.keys(scenarios).sort());
  });

  it.each(files)('%s replays with the workflow of today', async (file) => {
    expect(await replay(historyIn(file))).toBeUndefined();
  });

  it('are really compared: one that was altered does not replay', async () => {
    const history = historyIn('create-change-rollback-delete.1.json');
    const scheduled = history.events.find((event) => 'activityTaskScheduledEventAttributes' in event)
      ?.activityTaskScheduledEventAttributes as { activityType: { name: string } };
    scheduled.activityType.name = 'something_else';
    expect(await replay(history)).toMatch(/Nondeterminism/i);
  });
});

if (process.env.RECORD) {
  it('records what is not there yet', async () => {
    const namespace = leaseNamespace();
    const at = { address: temporalAddress(), temporalNamespace: namespace };
    const worker = await startWorker(namespace, { config: { scheduleToStartMs: 1_000, firstRetryMs: 50, rolloverEvents: 70 } });
    const executor = await runExecutor({ executorType: 'things', functions: { handle } }, at);
    const [client, colony] = [await connectClient(namespace), await connect(at)];
    await colony.apply(definition('Thing', 'things', 'things'));
    await colony.apply(definition('Lonely', 'lonelies', 'nobody'));
    for (const [name, play] of Object.entries(scenarios)) {
      if (files.some((file) => file.startsWith(`${name}.`))) continue;
      const workflowId = await play({ client, colony });
      const { firstRunId } = (await client.workflow.getHandle(workflowId).describe()).raw.workflowExecutionInfo ?? {};
      const runs = await historiesOf(client, workflowId, firstRunId ?? '');
      for (const [index, { history }] of runs.entries())
        writeFileSync(join(folder, `${name}.${index + 1}.json`), `${JSON.stringify(JSON.parse(historyToJSON(history)))}\n`);
    }
    executor.stop();
    await executor.done;
    await colony.close();
    await client.connection.close();
    await worker.stop();
  }, 300_000);
}
