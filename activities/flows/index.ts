import type { Client } from '@temporalio/client';
import { Revealer } from '../secrets/revealer.ts';
import { createAwaitRun } from './await-run.ts';
import { createCancelRun } from './cancel-run.ts';
import { createCreateRun } from './create-run.ts';
import { type HttpPolicy, openPolicy } from './http-policy.ts';
import { createHttpRequest } from './http-request.ts';
import { createNotify } from './notify.ts';
import { createReadCache, createWriteCache } from './step-cache.ts';
import { createSyncSchedule } from './sync-schedule.ts';

/** Where no secret is kept. */
const none = new Revealer({ get: async () => undefined });

/** What flows need of the world and no node has to do. */
export function createFlowActivities(client: Client, http: HttpPolicy = openPolicy, revealer = none) {
  return {
    syncSchedule: createSyncSchedule(client),
    createRun: createCreateRun(client),
    awaitRun: createAwaitRun(client),
    cancelRun: createCancelRun(client),
    httpRequest: createHttpRequest(http, revealer),
    notify: createNotify(http, revealer),
    readCache: createReadCache(client),
    writeCache: createWriteCache(client),
  };
}
