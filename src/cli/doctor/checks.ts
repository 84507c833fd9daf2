import { setTimeout as sleep } from 'node:timers/promises';
import { searchAttributes } from '../../embedded/search-attributes.ts';
import type { Temporal } from '../temporal.ts';
import { bad, type Finding, ok, skipped } from './finding.ts';

const QUEUE = 'colony';
const RECENT_MS = 90_000;
const WORKFLOW_TASKS = 1;
const ACTIVITY_TASKS = 2;
const OLDEST = [1, 28];
const ANSWER_MS = 4_000;
const AGAIN_MS = 100;
const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const FAILED_PRECONDITION = 9;
const START = 'Start one: colony up (or npm start), or the worker of your deployment.';

/** The server is there; whether it can do what colony needs depends on its version. */
export function checkVersion({ version, location }: Temporal): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldMajor = 0, oldMinor = 0] = OLDEST;
  const found = `${version} answers at ${location.address} (${location.from === 'default' ? 'the default' : `from ${location.from}`})`;
  const isOld = Number.isNaN(major) || Number.isNaN(minor) ? false : major < oldMajor || (major === oldMajor && minor < oldMinor);
  return isOld ? bad('temporal', found, `colony needs Temporal ${OLDEST.join('.')} or newer (update with start).`) : ok('temporal', found);
}

export async function checkNamespace({ connection, namespace }: Temporal): Promise<Finding> {
  const check = 'namespace';
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    const days = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 86_400;
    return ok(
      check,
      `${namespace} exists; what has ended is kept for ${days < 1 ? `${Math.round(days * 24)} h` : `${Math.round(days)} d`}`,
    );
  } catch (error) {
    return bad(check, `${namespace}: ${messageOf(error)}`, `Create it: temporal operator namespace create --namespace ${namespace}`);
  }
}

/** Workers of resources: without one nothing is admitted, planned or cleaned up. A dead one is listed for minutes, so one is asked. */
export async function checkWorkers(temporal: Temporal): Promise<Finding> {
  const workers = await pollers(temporal, QUEUE, WORKFLOW_TASKS);
  if (workers.length === 0) return bad('workers', `nobody serves queue "${QUEUE}"; resources stand still`, START);
  const found = `${count(workers.length, 'worker')} on queue "${QUEUE}"`;
  const answered = await askResource(temporal);
  if (answered === 'none') return ok('workers', `${found}; there is no resource yet to ask about`);
  return answered === 'silent'
    ? bad('workers', `${found} lately, but nobody answers now`, `If it was stopped: ${START} If it is busy: see its log.`)
    : ok('workers', `${found}; an answer took ${answered} ms`);
}

/**
 * Asks about any resource; answers with the time it took. A refusal that is the server's own (a task is pending, the resource
 * has just ended) says nothing about the worker: then it is asked again until the time is over.
 */
async function askResource(temporal: Temporal): Promise<number | 'none' | 'silent'> {
  const began = Date.now();
  for (const until = began + ANSWER_MS; Date.now() < until; await sleep(AGAIN_MS)) {
    const answered = await askOnce(temporal, until);
    if (answered === 'answer') return Date.now() - began;
    if (answered !== 'refused') return answered;
  }
  return 'silent';
}

async function askOnce({ connection, namespace }: Temporal, until: number): Promise<'answer' | 'refused' | 'none' | 'silent'> {
  const { workflowService } = connection;
  const query = `TaskQueue = '${QUEUE}' AND ExecutionStatus = 'Running'`;
  const { executions } = await workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1 });
  const execution = executions?.[0]?.execution;
  if (!execution) return 'none';
  try {
    await connection.withDeadline(until, () => workflowService.queryWorkflow({ namespace, execution, query: { queryType: 'status' } }));
    return 'answer';
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === INVALID_ARGUMENT) return 'answer'; // a worker's: it has no such question
    return code === DEADLINE_EXCEEDED || code === FAILED_PRECONDITION ? 'silent' : 'refused';
  }
}

export async function checkNode(temporal: Temporal): Promise<Finding> {
  const queue = `${QUEUE}-node-${temporal.node}`;
  const agents = await pollers(temporal, queue, ACTIVITY_TASKS);
  if (agents.length > 0) return ok('node', `node ${temporal.node} is served`);
  return skipped(
    'node',
    `nobody serves node ${temporal.node} (queue "${queue}")`,
    'Needed only if this machine is to run instances: colony up',
  );
}

export async function checkSearchAttributes({ connection, namespace }: Temporal): Promise<Finding> {
  const check = 'search attributes';
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const names = Object.keys(searchAttributes) as (keyof typeof searchAttributes)[];
  const clash = names.filter((name) => customAttributes[name] !== undefined && customAttributes[name] !== searchAttributes[name]);
  if (clash.length > 0)
    return bad(check, `${clash.join(', ')}: registered with another type`, 'Remove them, or use another Temporal namespace.');
  const missing = names.filter((name) => customAttributes[name] === undefined);
  if (missing.length > 0) return bad(check, `not registered: ${missing.join(', ')}`, 'A worker registers them when it starts: colony up');
  return ok(check, `all ${names.length} are registered`);
}

async function pollers({ connection, namespace }: Temporal, name: string, taskQueueType: number): Promise<readonly unknown[]> {
  const { pollers } = await connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType });
  return (pollers ?? []).filter(({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < RECENT_MS);
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** gRPC's own sentence, without its number and path. */
export function messageOf(error: unknown): string {
  const { details, message } = error as { details?: string; message?: string };
  return details || message || String(error);
}
