import type { Client } from '@temporalio/client';

export type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;

type EventId = NonNullable<NonNullable<History['events']>[number]['eventId']>;

/** Whether a history, or the beginning of one, is what the workflow code would write. */
export type Replays = (history: History) => Promise<boolean>;

/**
 * The last workflow task up to whose start a history replays, as the id of the event that ended it: what it did must be done anew.
 *
 * Undefined when the whole history replays, so that nothing is wrong with it, or when not even its beginning does.
 */
export async function lastSoundTask(history: History, replays: Replays): Promise<EventId | undefined> {
  const events = history.events ?? [];
  const tasks = events.flatMap(({ eventId, workflowTaskCompletedEventAttributes: done }) =>
    done && eventId ? [{ ended: eventId, started: Number(done.startedEventId) }] : [],
  );
  const last = events.findLast(({ workflowTaskStartedEventAttributes }) => workflowTaskStartedEventAttributes)?.eventId;
  const upTo = (id: number): History => ({ events: events.filter(({ eventId }) => Number(eventId) <= id) });
  if (last === undefined || (await replays(upTo(Number(last))))) return undefined;
  // What does not replay does not replay with more behind it either: halve what is left.
  let sound = -1;
  for (let broken = tasks.length; broken - sound > 1; ) {
    const middle = Math.floor((sound + broken) / 2);
    if (await replays(upTo(tasks[middle]?.started ?? 0))) sound = middle;
    else broken = middle;
  }
  return tasks[sound]?.ended;
}
