import type { Client } from '@temporalio/client';
import { createAwaitRun } from './await-run.ts';
import { createCancelRun } from './cancel-run.ts';
import { createCreateRun } from './create-run.ts';
import { runManifestOf } from './run-manifest.ts';
import { createSyncSchedule } from './sync-schedule.ts';

export interface FlowDeps {
  readonly client: Client;
}

/** What flows need of the world and no node has to do. */
export function createFlowActivities({ client }: FlowDeps) {
  return {
    syncSchedule: createSyncSchedule(client),
    createRun: createCreateRun(client, runManifestOf),
    awaitRun: createAwaitRun(client),
    cancelRun: createCancelRun(client),
  };
}
