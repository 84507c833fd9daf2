import { Client } from '@temporalio/client';
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { FileStore } from '../../activities/secrets/file-store.ts';
import { Revealer } from '../../activities/secrets/revealer.ts';
import { queueOf } from '../../definitions/replicas/lanes.ts';
import { TASK_QUEUE } from '../client/session.ts';
import type { Config } from '../config.ts';
import { ensureSearchAttributes } from '../embedded/search-attributes.ts';
import { failpoint } from './failpoint.ts';
import { createNodeInfo } from './node-info.ts';
import { workflowCode } from './workflow-code.ts';

/** Settings that every worker of ours has: quick recovery after a crash, quick cancellation. */
const shared: Partial<WorkerOptions> = {
  stickyQueueScheduleToStartTimeout: '5s',
  maxHeartbeatThrottleInterval: '300ms',
  shutdownGraceTime: '3s',
  shutdownForceTime: '5s',
};

/** Runs the resource workflows and the activities that belong to no node; any number of these may run. */
export async function createColonyWorker(connection: NativeConnection, config: Config, more: Partial<WorkerOptions> = {}): Promise<Worker> {
  const namespace = config.temporalNamespace;
  await ensureSearchAttributes(connection, namespace);
  const { maxCachedWorkflows } = config;
  return Worker.create({
    ...shared,
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    ...workflowCode(),
    activities: createActivities({
      client: new Client({ connection, namespace }),
      tuning: { scheduleToStartMs: config.scheduleToStartMs, firstRetryMs: config.firstRetryMs, defaultNode: config.defaultNode },
      rollover: { events: config.rolloverEvents, bytes: config.rolloverBytes, updates: config.rolloverUpdates },
      http: { hosts: config.httpHosts },
      revealer: new Revealer(new FileStore(config.secretsDir)),
    }),
    ...(maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows }),
    ...(config.failpoint ? { interceptors: { activity: [failpoint(config.failpoint)] } } : {}),
    ...more,
  });
}

/** Runs what belongs to this machine; one per machine. */
export async function createNodeWorker(connection: NativeConnection, config: Config, activities: object): Promise<Worker> {
  return Worker.create({
    ...shared,
    connection,
    namespace: config.temporalNamespace,
    taskQueue: queueOf(config.node),
    // Steps of flows may run for hours, and must not keep deployments waiting.
    maxConcurrentActivityTaskExecutions: 1_000,
    activities: { nodeInfo: createNodeInfo(config.node), ...activities },
    ...(config.failpoint ? { interceptors: { activity: [failpoint(config.failpoint)] } } : {}),
  });
}
