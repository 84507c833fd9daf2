import { type ColonyError, NoWorkerError, UnreachableError } from './errors.ts';
import { type Session, TASK_QUEUE } from './session.ts';

/** A poller that was seen within this time counts as alive: a long poll lasts a minute. */
const ALIVE_MS = 90_000;
const WORKFLOW_TASKS = 1;

/** What stays open when an update got no answer. Writes that name the wished end may be sent twice; a command may be a step. */
const AFTER = {
  apply: 'What was sent may still happen; sending it again does no harm.',
  delete: 'What was sent may still happen; sending it again does no harm.',
  status: 'What was sent may still happen; sending it again does no harm.',
  command: 'What was sent may still happen; look before you send it again.',
} as const;

/** Why nothing came back in time: no Temporal, no worker, or one that is too busy; of an update also what that leaves open. Never throws. */
export async function explainSilence(session: Session, subject: string, update?: keyof typeof AFTER): Promise<ColonyError> {
  const heard = `nothing was heard of ${subject} for ${Math.round(session.timeoutMs / 1000)} s`;
  const hint = (todo: string): string => `${todo}${update ? `. ${AFTER[update]}` : ', then repeat the command.'}`;
  try {
    const { pollers } = await session.within(Date.now() + 2_000, () =>
      session.service.describeTaskQueue({
        namespace: session.temporalNamespace,
        taskQueue: { name: TASK_QUEUE },
        taskQueueType: WORKFLOW_TASKS,
      }),
    );
    const isAlive = pollers?.some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 > Date.now() - ALIVE_MS);
    return isAlive
      ? new NoWorkerError(
          `no worker answers: ${heard}, though one was seen lately`,
          hint('If it was stopped, start it with `npm start`; if it is busy or restarting, wait a moment'),
        )
      : new NoWorkerError(
          `no worker answers: ${heard}, and nobody serves the task queue "${TASK_QUEUE}"`,
          hint('Start one with `npm start` (or `colony up`)'),
        );
  } catch (cause) {
    return new UnreachableError(
      `Temporal stopped answering at ${session.address}`,
      hint('Start it with `npm start`, or set TEMPORAL_ADDRESS to where it runs'),
      { cause },
    );
  }
}
