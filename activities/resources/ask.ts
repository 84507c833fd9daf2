import type { Client } from '@temporalio/client';

/**
 * Shorter than a worker's sticky time-out (src/node/worker.ts): a query that the server hands to another queue because nobody took it
 * in time, while a task of that workflow is under way, breaks the SDK's core (docs/decisions/002).
 */
export const ONE_QUERY_MS = 3_000;

/** Makes a call that the server answers by a query. Fails when nobody answers soon: to ask again is quicker than to wait on. */
export function asQuery<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + ONE_QUERY_MS, call);
}

/** Asks a workflow what only it knows. */
export function ask<T>(client: Client, id: string, name: 'resource' | 'family'): Promise<T> {
  return asQuery(client, () => client.workflow.getHandle(id).query<T>(name));
}
