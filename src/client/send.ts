import { randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation } from '@temporalio/client';
import type { CallFields } from '../../definitions/core/messages.ts';
import { NoWorkerError, NotFoundError, UnreachableError } from './errors.ts';
import { asColonyError, isAbsent, isLate, isTrouble, isUndecided } from './failures.ts';
import { pause } from './pause.ts';
import { describeRow } from './rows.ts';
import { type Session, TASK_QUEUE } from './session.ts';

/** An update to one resource. */
export interface Call {
  readonly workflowId: string;
  /** How errors name it: `Widget w1 in default`. */
  readonly subject: string;
  readonly update: 'apply' | 'delete' | 'command' | 'status';
  readonly body: CallFields & object;
  /** Given: the workflow of this type is started when there is none. */
  readonly startAs?: string;
}

/**
 * Sends an update and waits for its answer.
 *
 * Guarantees: every repeat carries the same request id, so the write happens at most once, also across a rollover; comes back
 * within the session's time limit. Without `startAs` nothing is ever started. Throws what the workflow refused with as it came
 * (see `refusalOf`), everything else as a ColonyError.
 */
export async function send<Answer>(session: Session, call: Call): Promise<Answer> {
  const requestId = call.body.requestId ?? randomUUID();
  const body = { ...call.body, requestId, actor: call.body.actor ?? session.actor };
  const deadline = Date.now() + session.timeoutMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(500, pauseMs * 2)) {
    try {
      return (await session.within(deadline, () => once(session, call, body, requestId))) as Answer;
    } catch (error) {
      if (isLate(error) || Date.now() + pauseMs >= deadline) throw await silence(session, call, error);
      if (isAbsent(error)) await mayComeBack(session, call);
      else if (!isUndecided(error)) throw error;
    }
    await pause(pauseMs);
  }
}

function once(session: Session, call: Call, body: object, requestId: string): Promise<unknown> {
  const { workflowId, startAs, update, subject } = call;
  const options = { args: [body] as [object], updateId: requestId };
  if (startAs === undefined) return session.workflows.getHandle(workflowId).executeUpdate(update, options);
  return session.workflows.executeUpdateWithStart(update, {
    ...options,
    startWorkflowOperation: new WithStartWorkflowOperation(startAs, {
      workflowId,
      taskQueue: TASK_QUEUE,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowTaskTimeout: '5s', // how soon another worker takes over after a crash
      staticSummary: subject,
      args: [],
    }),
  });
}

/** An update that finds nobody: with a start it is simply sent again; else only if the resource is there after all. */
async function mayComeBack(session: Session, { startAs, workflowId, subject }: Call): Promise<void> {
  if (startAs !== undefined) return;
  const row = await describeRow(session, workflowId).catch((error) => Promise.reject(asColonyError(error, subject)));
  if (!row?.open) throw new NotFoundError(`${subject} does not exist`);
}

/** Why nothing came back in time: no Temporal, no worker, or a worker that is too busy. */
async function silence(session: Session, { subject }: Call, error: unknown): Promise<Error> {
  if (!isLate(error) && !isTrouble(error) && !isUndecided(error)) return asColonyError(error, subject);
  const seconds = Math.round(session.timeoutMs / 1000);
  try {
    const { pollers } = await session.within(Date.now() + 2_000, () =>
      session.service.describeTaskQueue({ namespace: session.temporalNamespace, taskQueue: { name: TASK_QUEUE }, taskQueueType: 1 }),
    );
    const recently = Date.now() - 90_000;
    const alive = pollers?.some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 > recently);
    if (!alive) return new NoWorkerError(`no worker answers: nothing was heard of ${subject} for ${seconds} s, and nobody serves the task queue "${TASK_QUEUE}"`);
    return new NoWorkerError(
      `no worker answers: nothing was heard of ${subject} for ${seconds} s, though one was seen lately`,
      'It may be restarting or overloaded: repeat the command, and look at its log if that does not help.',
    );
  } catch (cause) {
    return new UnreachableError(`Temporal stopped answering at ${session.address}`, undefined, { cause });
  }
}
