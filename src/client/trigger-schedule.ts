import { randomUUID } from 'node:crypto';
import type { Triggered } from './api.ts';
import { TimeoutError } from './errors.ts';
import { pause } from './pause.ts';
import { askRepeatedly } from './read.ts';
import type { Session } from './session.ts';

/** The rule of the schedule itself. The SDK's own trigger would let runs overlap whatever that says. */
const BY_ITS_OWN_RULE = 0;
const LOOK_MS = 100;

/** How many starts a schedule has had, by what became of them. */
interface Starts {
  readonly done: number;
  readonly skipped: number;
  readonly waiting: number;
}

/**
 * Lets a schedule start what it starts, now, and says what came of it.
 *
 * Caveat: the server only counts. When it starts another one at the same moment, the answer may be that one's.
 */
export async function triggerSchedule(session: Session, scheduleId: string): Promise<Triggered> {
  const { service, temporalNamespace: namespace, actor: identity, timeoutMs } = session;
  const before = await startsOf(session, scheduleId);
  const patch = { triggerImmediately: { overlapPolicy: BY_ITS_OWN_RULE } };
  await service.patchSchedule({ namespace, scheduleId, identity, requestId: randomUUID(), patch });
  const until = Date.now() + timeoutMs;
  while (Date.now() < until) {
    const { done, skipped, waiting } = await startsOf(session, scheduleId);
    const isCounted = done + skipped + waiting > before.done + before.skipped + before.waiting;
    // The last one that came is the last one to start.
    if (isCounted) return skipped > before.skipped ? 'Skipped' : waiting > 0 ? 'Waiting' : 'Started';
    await pause(LOOK_MS);
  }
  throw new TimeoutError('the server has not said whether it started a run', 'See which there are: colony workflow runs');
}

async function startsOf(session: Session, scheduleId: string): Promise<Starts> {
  const { service, temporalNamespace: namespace, timeoutMs } = session;
  const { info } = await askRepeatedly(session, timeoutMs, () => service.describeSchedule({ namespace, scheduleId }));
  const [done, overlapping, dropped, waiting] = [info?.actionCount, info?.overlapSkipped, info?.bufferDropped, info?.bufferSize].map(
    Number,
  );
  return { done: done || 0, skipped: (overlapping || 0) + (dropped || 0), waiting: waiting || 0 };
}
