import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Temporal } from '../temporal.ts';
import { bad, type Finding, ok } from './finding.ts';

const DELAY_MS = 200;
/** The server's default shift of timers is a second; ours is 50 ms. */
const PROMPT_MS = 500;
/** The server's default is 10 updates at once. */
const UPDATES = 14;
const PATIENCE_MS = 3_000;
/** A refusal comes at once; accepted ones would wait for a worker that never comes. */
const REFUSED_WITHIN_MS = 700;
/** With the setting a query is refused at once; without it, it waits for a worker that never comes. */
const QUERY_MS = 1_000;
const INDEXED_WITHIN_MS = 10_000;
const LAG_MS = 2_000;
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;
const SKEW_MS = 5_000;
const ACCEPTED = 2;
const SETTINGS = 'See docker/dynamicconfig.yaml for the settings that colony counts on.';

/**
 * Finds out by behaviour how the server is set, with workflows that nobody runs and that are ended afterwards.
 * Their ids are no resource's, so nothing of colony sees them.
 */
export async function checkSettings(temporal: Temporal): Promise<readonly Finding[]> {
  // A timer queue that has slept is prompt whatever its settings; only the second of two timers tells.
  const first = await start(temporal, 1);
  const lag = await visibilityLag(first);
  const second = await start(temporal, DELAY_MS);
  try {
    const { skewMs, lateMs } = await timer(second);
    return [lag, clock(skewMs), promptness(lateMs), ...(await Promise.all([updates(second), queries(first)]))];
  } finally {
    await Promise.all([end(first), end(second)]);
  }
}

async function start(temporal: Temporal, delayMs: number): Promise<Probe> {
  const workflowId = `colony-doctor-${randomUUID()}`;
  const began = Date.now();
  const { runId } = await temporal.connection.workflowService.startWorkflowExecution({
    namespace: temporal.namespace,
    workflowId,
    workflowType: { name: 'colony-doctor' },
    taskQueue: { name: workflowId },
    requestId: randomUUID(),
    identity: temporal.identity,
    workflowStartDelay: { nanos: delayMs * 1_000_000 },
    workflowRunTimeout: { seconds: 60 as never },
  });
  return { temporal, workflowId, runId: runId ?? '', began };
}

async function end({ temporal, workflowId }: Probe): Promise<void> {
  const { connection, namespace, identity } = temporal;
  const request = { namespace, workflowExecution: { workflowId }, reason: 'colony doctor is done', identity };
  await connection.workflowService.terminateWorkflowExecution(request).catch(() => {}); // it ends by itself in a minute
}

interface Probe {
  readonly temporal: Temporal;
  readonly workflowId: string;
  readonly runId: string;
  readonly began: number;
}

async function visibilityLag({ temporal, workflowId, began }: Probe): Promise<Finding> {
  const check = 'visibility';
  while (Date.now() - began < INDEXED_WITHIN_MS) {
    const { count } = await temporal.connection.workflowService.countWorkflowExecutions({
      namespace: temporal.namespace,
      query: `WorkflowId = '${workflowId}'`,
    });
    const lagMs = Date.now() - began;
    if (Number(count) > 0) {
      return lagMs <= LAG_MS
        ? ok(check, `a new workflow is listed after ${lagMs} ms`)
        : bad(
            check,
            `a new workflow is listed after ${lagMs} ms`,
            'Lists and watches are that late; see how busy the server and its database are.',
          );
    }
    await sleep(20);
  }
  return bad(
    check,
    `a new workflow was not listed within ${INDEXED_WITHIN_MS / 1000} s`,
    'Lists and watches cannot work; see whether the server has a visibility store.',
  );
}

/** When the workflow began by the server's clock, and how late its delayed first task came by the same clock. */
async function timer({ temporal, workflowId, runId, began }: Probe): Promise<{ skewMs: number; lateMs: number }> {
  const { connection, namespace } = temporal;
  const times: number[] = [];
  let nextPageToken: Uint8Array = new Uint8Array();
  while (times.length < 2) {
    const page = await connection.withDeadline(Date.now() + PATIENCE_MS, () =>
      connection.workflowService.getWorkflowExecutionHistory({
        namespace,
        execution: { workflowId, runId },
        waitNewEvent: true,
        nextPageToken,
      }),
    );
    times.push(
      ...(page.history?.events ?? []).map(({ eventTime }) => Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1_000_000),
    );
    nextPageToken = page.nextPageToken ?? new Uint8Array();
    if (nextPageToken.length === 0) break;
  }
  const [started = began, scheduled = started] = times;
  return { skewMs: started - began, lateMs: Math.round(scheduled - started - DELAY_MS) };
}

function promptness(lateMs: number): Finding {
  const check = 'timers';
  const late = `a timer fires ${Math.max(0, lateMs)} ms late`;
  return lateMs <= PROMPT_MS
    ? ok(check, late)
    : bad(check, late, `Set history.timerProcessorMaxTimeShift to 50ms on the server, or every wait takes a second longer. ${SETTINGS}`);
}

function clock(skewMs: number): Finding {
  const check = 'clock';
  if (Math.abs(skewMs) < SKEW_MS) return ok(check, `the server's clock differs by less than ${SKEW_MS / 1000} s`);
  return bad(
    check,
    `the server's clock differs by ${Math.round(skewMs / 1000)} s`,
    'Let both machines keep time (NTP); ages and leases are wrong until then.',
  );
}

async function updates({ temporal, workflowId }: Probe): Promise<Finding> {
  const check = 'updates';
  const { connection, namespace, identity } = temporal;
  const deadline = Date.now() + REFUSED_WITHIN_MS;
  const codes = await Promise.all(
    Array.from({ length: UPDATES }, async () => {
      try {
        await connection.withDeadline(deadline, () =>
          connection.workflowService.updateWorkflowExecution({
            namespace,
            workflowExecution: { workflowId },
            waitPolicy: { lifecycleStage: ACCEPTED },
            request: { meta: { updateId: randomUUID(), identity }, input: { name: 'probe' } },
          }),
        );
        return undefined;
      } catch (error) {
        return (error as { code?: number }).code;
      }
    }),
  );
  const refused = codes.filter((code) => code === RESOURCE_EXHAUSTED).length;
  if (refused === 0) return ok(check, `${UPDATES} updates at once are accepted`);
  return bad(
    check,
    `${refused} of ${UPDATES} updates at once are refused`,
    `Set history.maxInFlightUpdates to 1000 on the server, or applies are refused under load. ${SETTINGS}`,
  );
}

/** What colony counts on is a refusal while a workflow task is pending: docs/decisions/002. */
async function queries({ temporal, workflowId }: Probe): Promise<Finding> {
  const check = 'queries';
  const { connection, namespace } = temporal;
  const request = { namespace, execution: { workflowId }, query: { queryType: 'probe' } };
  const code = await connection
    .withDeadline(Date.now() + QUERY_MS, () => connection.workflowService.queryWorkflow(request))
    .then(
      () => undefined,
      (error: { code?: number }) => error.code,
    );
  if (code === RESOURCE_EXHAUSTED || code === UNAVAILABLE) return ok(check, 'refused while a workflow task is pending, as it should be');
  return bad(
    check,
    'wait while a workflow task is pending',
    `Set history.MaxBufferedQueryCount to 0 on the server, or a resource that is read while it is written can get stuck for good. ${SETTINGS}`,
  );
}
