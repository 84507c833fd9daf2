import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** All events of the newest run. */
export async function eventsOf(client: Client, workflowId: string): Promise<readonly HistoryEvent[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return events ?? [];
}

/** How many events there are, without reading them. */
export async function countEvents(client: Client, workflowId: string): Promise<number> {
  return (await client.workflow.getHandle(workflowId).describe()).historyLength;
}

/** When the memo first showed that this generation was observed (ms since the epoch, by the server); undefined when it has not yet. */
export function observedAt(events: readonly HistoryEvent[], generation: number): number | undefined {
  const event = events.find(({ workflowPropertiesModifiedEventAttributes: changed }) => {
    const data = changed?.upsertedMemo?.fields?.status?.data;
    return data && (JSON.parse(Buffer.from(data).toString('utf8')) as { observedGeneration?: number }).observedGeneration === generation;
  });
  return event && timeOf(event);
}

/** When the index was first told that the resource is ready; undefined when it has not been yet. */
export function readyAt(events: readonly HistoryEvent[]): number | undefined {
  const event = events.find(({ upsertWorkflowSearchAttributesEventAttributes: changed }) => {
    const data = changed?.searchAttributes?.indexedFields?.ColonyReady?.data;
    return data && JSON.parse(Buffer.from(data).toString('utf8')) === 'True';
  });
  return event && timeOf(event);
}

export function timeOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1_000_000;
}

/** The newest event; the cheapest way to learn when something last happened. */
export async function newestEvent(client: Client, workflowId: string): Promise<HistoryEvent> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId },
    maximumPageSize: 1,
  });
  const event = history?.events?.[0];
  if (!event) throw new Error(`${workflowId} has no history`);
  return event;
}

/** Timers that were started and have neither fired nor been cancelled. */
export function pendingTimers(events: readonly HistoryEvent[]): number {
  const ids = new Set<string>();
  for (const { timerStartedEventAttributes: started, timerFiredEventAttributes: fired, timerCanceledEventAttributes: canceled } of events) {
    if (started?.timerId) ids.add(started.timerId);
    ids.delete(fired?.timerId ?? canceled?.timerId ?? '');
  }
  return ids.size;
}

/** `44: WorkflowTaskScheduled ×9, …`: what a history is made of. */
export function tally(events: readonly HistoryEvent[]): string {
  const counts = new Map<string, number>();
  for (const event of events) {
    const type = Object.keys(event).find((key) => key.endsWith('EventAttributes') && event[key as keyof HistoryEvent]) ?? 'unknown';
    const name = type.replace('EventAttributes', '');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return `${events.length}: ${[...counts].map(([name, count]) => `${name} ×${count}`).join(', ')}`;
}
