import { type ColonyError, NoWorkerError, UnreachableError } from './errors.ts';
import { type Session, TASK_QUEUE } from './session.ts';

/** A poller that was seen within this time counts as alive: a long poll lasts a minute. */
const ALIVE_MS = 90_000;
const WORKFLOW_TASKS = 1;

/** Why nothing came back in time: no Temporal, no worker, or one that is too busy. Never throws. */
export async function explainSilence(session: Session, subject: string): Promise<ColonyError> {
  const heard = `nothing was heard of ${subject} for ${Math.round(session.timeoutMs / 1000)} s`;
  try {
    const { pollers } = await session.within(Date.now() + 2_000, () =>
      session.service.describeTaskQueue({
        namespace: session.temporalNamespace,
        taskQueue: { name: TASK_QUEUE },
        taskQueueType: WORKFLOW_TASKS,
      }),
    );
    const isAlive = pollers?.some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 > Date.now() - ALIVE_MS);
    if (!isAlive) return new NoWorkerError(`no worker answers: ${heard}, and nobody serves the task queue "${TASK_QUEUE}"`);
    return new NoWorkerError(
      `no worker answers: ${heard}, though one was seen lately`,
      'If it was stopped, start it with `npm start`; if it is busy or restarting, repeat the command.',
    );
  } catch (cause) {
    return new UnreachableError(`Temporal stopped answering at ${session.address}`, undefined, { cause });
  }
}
