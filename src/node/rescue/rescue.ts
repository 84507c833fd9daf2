import type { Client } from '@temporalio/client';
import { describe } from '../../../activities/resources/incarnation.ts';
import { pause } from '../../client/pause.ts';
import type { Logger } from '../log.ts';
import type { Run } from '../workflow-code.ts';
import { lastSoundTask, type Replays } from './last-sound-task.ts';
import { replaysHere } from './replays.ts';

export interface RescueOptions {
  readonly log: Logger;
  readonly lookMs?: number;
  readonly replaysOf?: (resource: string) => Replays;
}

const LOOK_MS = 5_000;
/** A run that is built up so often within so long is worth a question; a task that failed so often is stuck. */
const OFTEN = 3;
const MEMORY_MS = 10 * 60_000;

/**
 * Frees resources whose history the workflow code can no longer follow, so that their task fails for ever: sets them back to the last
 * task that it can follow, and lets Temporal hand them again every message that came since (docs/decisions/009).
 *
 * Any number of these may run. Guarantees: only a run whose task has failed several times and whose history really does not replay is
 * set back, once; nothing is asked about resources that are well.
 */
export class Rescue {
  private readonly built = new Map<string, { readonly run: Run; readonly since: number; times: number }>();

  constructor(private readonly options: RescueOptions) {}

  /** To be called whenever a run is built up. */
  noteBuilt(run: Run, now = Date.now()): void {
    const known = this.built.get(run.runId);
    if (known && now - known.since < MEMORY_MS) known.times += 1;
    else this.built.set(run.runId, { run, since: now, times: 1 });
  }

  async run(client: Client, signal: AbortSignal): Promise<void> {
    const { lookMs = LOOK_MS } = this.options;
    while (!signal.aborted) {
      await this.look(client);
      await pause(lookMs, { signal });
    }
  }

  async look(client: Client, now = Date.now()): Promise<void> {
    const { log } = this.options;
    for (const [runId, { run, since, times }] of this.built) {
      if (times < OFTEN && now - since < MEMORY_MS) continue;
      this.built.delete(runId);
      if (times < OFTEN) continue;
      await this.free(client, run).catch(({ message }: Error) => {
        log.warn(
          { resource: run.resource, reason: message },
          'its task fails, and it could not be set back; trying again when it fails again',
        );
      });
    }
  }

  private async free(client: Client, { resource, runId }: Run): Promise<void> {
    const { log, replaysOf = replaysHere } = this.options;
    const described = await describe(client, resource);
    const attempt = described?.raw.pendingWorkflowTask?.attempt ?? 0;
    if (described?.runId !== runId || described.status.name !== 'RUNNING' || attempt < OFTEN) return;
    const handle = client.workflow.getHandle(resource, runId);
    const task = await lastSoundTask(await handle.fetchHistory(), replaysOf(resource));
    if (task === undefined) {
      log.error(
        { resource, attempt },
        'its task fails again and again, and not because its history does not replay: look at it in the Temporal UI',
      );
      return;
    }
    // What was done since that task will be known to nobody. Asked before the reset, which delivers it again: whoever dies in between has not forgotten it.
    await handle.signal('reconcile', {});
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId: resource, runId },
      workflowTaskFinishEventId: task,
      reason: 'colony: its history did not replay from here on',
      // The same from every worker, so that Temporal does it once.
      requestId: `rescue-${runId}-${task}`,
    });
    log.warn(
      { resource, task: String(task) },
      'its history did not replay: it was set back to where it does, and is told again what came since',
    );
  }
}
