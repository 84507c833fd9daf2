import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

export type History = temporal.api.history.v1.IHistory;

/** The histories of all runs of one workflow, oldest first, followed from run to run as the server links them. */
export async function historiesOf(client: Client, workflowId: string, firstRunId: string): Promise<{ runId: string; history: History }[]> {
  const runs: { runId: string; history: History }[] = [];
  let runId: string | undefined = firstRunId;
  while (runId) {
    const history: History = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    runs.push({ runId, history });
    const last = history.events?.at(-1);
    runId = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return runs;
}

/** The ids of all events but those of tasks that came to nothing, because nobody did them in time or they were interrupted. */
export function eventsOf({ events }: History): number[] {
  const inVain = new Set<number>();
  for (const { eventId, workflowTaskTimedOutEventAttributes: late, workflowTaskFailedEventAttributes: failed } of events ?? []) {
    const task = late ?? failed;
    if (task) for (const id of [eventId, task.scheduledEventId, task.startedEventId]) inVain.add(Number(id));
  }
  return (events ?? []).map(({ eventId }) => Number(eventId)).filter((id) => !inVain.has(id));
}

/** The server ends a task by itself, and has it done again, when more than 2 MB of signals came in meanwhile. */
const TOO_MUCH_MEANWHILE = 17;

/** What the SDK's core and the server say of a task whose place a query has taken. */
const OVERTAKEN =
  /ProtocolMessageCommand referenced absent message ID|in state ScheduledActivityCancelCommandCreated says the transition is invalid/;

/** Events that only a broken workflow writes. */
export function troubles(history: History): string[] {
  return (
    (history.events ?? [])
      .filter((event) => event.workflowTaskFailedEventAttributes)
      .filter((event) => event.workflowTaskFailedEventAttributes?.cause !== TOO_MUCH_MEANWHILE)
      .map((event) => event.workflowTaskFailedEventAttributes?.failure?.message ?? 'a workflow task failed')
      // A signal that came in during the last task of a run: the server has the task done again, with the signal.
      .filter((message) => !/UnhandledCommand/.test(message))
      // An open bug of the SDK (temporalio/sdk-typescript#1966), not of the workflow: its core gets one answer to an update twice. The task is
      // done anew, and the history replays, which is tested apart.
      .filter((message) => !/Invalid transition while handling update response/.test(message))
      // Another one (docs/decisions/002): a query that overtakes a task is taken for it while a decision is made. The task is done anew, too.
      .filter((message) => !OVERTAKEN.test(message))
  );
}
