import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { JsonObject, Metadata, Resource } from '../../definitions/core/resource.ts';
import { ask } from './ask.ts';

/** The object behind a description, without its status; one that is too large for the memo is asked itself. */
export async function readResource(
  client: Client,
  id: string,
  { memo, type: kind }: WorkflowExecutionDescription,
): Promise<Omit<Resource, 'status'> | null> {
  if (!memo?.spec || memo.partial) return await ask<Resource | null>(client, id, 'resource');
  return { apiVersion: memo.apiVersion as string, kind, metadata: memo.meta as Metadata, spec: memo.spec as JsonObject };
}
