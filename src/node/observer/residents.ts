import type { Client } from '@temporalio/client';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';
import type { Metadata } from '../../../definitions/core/resource.ts';

export interface Resident extends InstanceOwner {
  readonly runtime: string | undefined;
}

/**
 * All living resources that say they have instances on a node, by uid; as the index knows them, which may be a moment old.
 *
 * Those too large for the index do not say by which runtime, and are only found by what they have.
 */
async function residents(client: Client, node: string): Promise<ReadonlyMap<string, Resident>> {
  const found = new Map<string, Resident>();
  const query = `ColonyNodes = '${node}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, memo } of client.workflow.list({ query })) {
    const meta = memo?.meta as Metadata | undefined;
    const runtime = (memo?.status as { readonly runtime?: string } | null | undefined)?.runtime;
    if (meta) found.set(meta.uid, { uid: meta.uid, resource: workflowId, name: meta.name, runtime });
  }
  return found;
}

const FRESH_MS = 2_000;

/** One question for all observers of a node that ask at about the same time. */
export function askForResidents(client: Client, node: string): () => Promise<ReadonlyMap<string, Resident>> {
  let last: Promise<ReadonlyMap<string, Resident>> | undefined;
  return () => {
    if (last) return last;
    const asked = residents(client, node);
    last = asked;
    const forget = (): void => {
      if (last === asked) last = undefined;
    };
    asked.then(() => setTimeout(forget, FRESH_MS).unref(), forget);
    return asked;
  };
}
