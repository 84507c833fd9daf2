import { randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation } from '@temporalio/client';
import type { CallFields } from '../../definitions/core/messages.ts';
import { describeRow } from './describe-row.ts';
import { NotFoundError } from './errors.ts';
import { isAbsent, isLate, isUndecided } from './failures.ts';
import { pause } from './pause.ts';
import { type Session, TASK_QUEUE } from './session.ts';
import { explainSilence } from './silence.ts';

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
 * within the session's time limit, which begins when large calls of this process to the same resource are through. Without
 * `startAs` nothing is ever started. Throws what the workflow refused with as it came (see `refusalOf`), all else as a ColonyError.
 */
export async function send<Answer>(session: Session, call: Call): Promise<Answer> {
  const requestId = call.body.requestId ?? randomUUID();
  const body = { ...call.body, requestId, actor: call.body.actor ?? session.actor };
  const bytes = JSON.stringify(body).length;
  return session.turns.take(call.workflowId, bytes, () => persist<Answer>(session, call, body, requestId));
}

async function persist<Answer>(session: Session, call: Call, body: object, requestId: string): Promise<Answer> {
  const deadline = Date.now() + session.timeoutMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(500, pauseMs * 2)) {
    try {
      return (await session.within(deadline, () => once(session, call, body, requestId))) as Answer;
    } catch (error) {
      const isOver = Date.now() + pauseMs >= deadline;
      if (isLate(error) || (isOver && isUndecided(error))) throw await explainSilence(session, call.subject, call.update);
      if (isAbsent(error) && !isOver) await mayComeBack(session, call);
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
  const row = await describeRow(session, workflowId);
  if (!row?.open) throw new NotFoundError(`${subject} does not exist`);
}
