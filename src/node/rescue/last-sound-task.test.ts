import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type History, lastSoundTask } from './last-sound-task.ts';

/** So many tasks of three events each, then one that nobody could end; the first event of all is the start. */
function historyOf(tasks: number): History {
  const events: unknown[] = [{ eventId: 1 }];
  for (let task = 0; task < tasks; task++) {
    const id = 2 + 3 * task;
    const done = { eventId: id + 2, workflowTaskCompletedEventAttributes: { startedEventId: id + 1 } };
    events.push({ eventId: id }, { eventId: id + 1, workflowTaskStartedEventAttributes: {} }, done);
  }
  const id = 2 + 3 * tasks;
  events.push({ eventId: id }, { eventId: id + 1, workflowTaskStartedEventAttributes: {} }, { eventId: id + 2 });
  return { events } as History;
}

/** Task n, from 0 on, wrote what nobody would write now. */
const brokenBy = (task: number) => async (history: History) => Number(history.events?.at(-1)?.eventId) < 2 + 3 * (task + 1);

describe('the last sound task', () => {
  it('is the one that wrote what does not replay, whichever that is, and few replays find it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 500 }), fc.nat(), async (tasks, seed) => {
        const broken = seed % tasks;
        let asked = 0;
        const task = await lastSoundTask(historyOf(tasks), (history) => {
          asked += 1;
          return brokenBy(broken)(history);
        });
        expect(task).toBe(2 + 3 * broken + 2);
        expect(asked).toBeLessThan(12);
      }),
    );
  });

  it('is none where the whole history replays', async () => {
    expect(await lastSoundTask(historyOf(4), async () => true)).toBeUndefined();
  });

  it('is none where not even the beginning replays', async () => {
    expect(await lastSoundTask(historyOf(4), async () => false)).toBeUndefined();
  });

  it('is none before the first task', async () => {
    expect(await lastSoundTask({ events: [{ eventId: 1 as never }] }, async () => false)).toBeUndefined();
  });
});
