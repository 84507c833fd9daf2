import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { connect } from '../src/client/connect.ts';
import { readConfig } from '../src/config.ts';
import { runExecutor } from '../src/executor/run.ts';
import { workflowCode } from '../src/node/workflow-code.ts';
import { definition, handle, scenarios } from './replay/scenarios.ts';
import { historiesOf } from './stress/histories.ts';
import { runAgent } from './support/agent.ts';
import { connectClient, leaseNamespace, startWorker, temporalAddress } from './support/temporal.ts';

/** Recorded with the code of its day, and only ever added to: `npm run record`. */
const folder = join(import.meta.dirname, 'fixtures', 'histories');
/** Every file that was ever recorded, with the fingerprint it had then. */
const indexFile = join(folder, 'index.txt');
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
const indexLine = (file: string): string =>
  `${createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex')}  ${file}`;

const historyIn = (file: string): { events: Record<string, unknown>[] } => JSON.parse(readFileSync(join(folder, file), 'utf8'));

async function replay(history: unknown): Promise<string | undefined> {
  for await (const { error } of Worker.runReplayHistories(workflowCode(), [{ workflowId: 'replayed', history }])) return error?.message;
  return 'nothing was replayed';
}

describe('recorded histories', () => {
  it('are all there', () => {
    const recorded = new Set(files.map((file) => file.replace(/\.\d+\.json$/, '')));
    expect([...recorded].sort()).toEqual(Object.keys(scenarios).sort());
  });

  it('are those that were recorded, to the last byte', () => {
    const recorded = readFileSync(indexFile, 'utf8').trim().split('\n');
    expect(files.map(indexLine).sort()).toEqual(recorded.sort());
    expect(recorded.length).toBeGreaterThanOrEqual(24);
  });

  it('have one resource that lived in at least three runs', () => {
    expect(files.filter((file) => file.startsWith('rolls-over-again-and-again.')).length).toBeGreaterThanOrEqual(3);
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

/** Kills the processes of one deployment, found by what colony tells each about itself. */
function killLocal(name: string): void {
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const env = readFileSync(`/proc/${pid}/environ`, 'latin1');
      if (env.includes(`COLONY_INSTANCE=${name}-`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It is gone, or somebody else's.
    }
  }
}

if (process.env.RECORD) {
  it('records what is not there yet', async () => {
    const namespace = leaseNamespace();
    const at = { address: temporalAddress(), temporalNamespace: namespace };
    const home = mkdtempSync(join(tmpdir(), 'colony-record-'));
    const machine = { node: 'recorder', defaultNode: 'recorder', home, allowLocal: true, temporalNamespace: namespace };
    const worker = await startWorker(namespace, {
      config: { ...machine, scheduleToStartMs: 1_000, firstRetryMs: 50, rolloverEvents: 70 },
    });
    const endAgent = await runAgent({ ...readConfig(), ...machine }, temporalAddress());
    const executor = await runExecutor({ executorType: 'things', functions: { handle } }, at);
    const executors = [executor];
    const serve = async (executorType: string): Promise<void> => {
      executors.push(await runExecutor({ executorType, functions: { handle } }, at));
    };
    const [client, colony] = [await connectClient(namespace), await connect(at)];
    await colony.apply(definition('Thing', 'things', 'things'));
    await colony.apply(definition('Lonely', 'lonelies', 'nobody'));
    for (const [name, play] of Object.entries(scenarios)) {
      if (files.some((file) => file.startsWith(`${name}.`))) continue;
      const workflowId = await play({ client, colony, serve, kill: killLocal });
      const { firstRunId } = (await client.workflow.getHandle(workflowId).describe()).raw.workflowExecutionInfo ?? {};
      const runs = await historiesOf(client, workflowId, firstRunId ?? '');
      for (const [index, { history }] of runs.entries())
        writeFileSync(join(folder, `${name}.${index + 1}.json`), `${JSON.stringify(JSON.parse(historyToJSON(history)))}\n`);
    }
    const all = readdirSync(folder).filter((file) => file.endsWith('.json'));
    writeFileSync(indexFile, `${all.sort().map(indexLine).join('\n')}\n`);
    for (const one of executors) one.stop();
    await Promise.all(executors.map(({ done }) => done));
    await colony.close();
    await client.connection.close();
    await endAgent();
    await worker.stop();
    rmSync(home, { recursive: true, force: true });
  }, 300_000);
}
