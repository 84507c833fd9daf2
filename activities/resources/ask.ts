import type { Client } from '@temporalio/client';

/**
 * Shorter than a worker's sticky time-out (src/node/worker.ts): a query that the server hands to another queue because nobody took it
 * in time, while a task of that workflow is under way, breaks the SDK's core (docs/decisions/002).
 */
export const ONE_QUERY_MS = 3_000;

/** Asks a workflow what only it knows. Fails when nobody answers soon. */
export function ask<T>(client: Client, id: string, name: 'resource' | 'family'): Promise<T> {
  return client.withDeadline(Date.now() + ONE_QUERY_MS, () => client.workflow.getHandle(id).query<T>(name));
}
