import type { Client } from '@temporalio/client';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';
import { isAbsent } from '../../client/failures.ts';

/** How long nobody may be there for an owner before its instances are orphans. */
const GRACE_MS = 30_000;

/**
 * Finds owners that are no more: ended by hand, or deleted while nobody could clean up.
 *
 * Guarantees: an owner is lost only when Temporal itself said so twice, half a minute apart; no answer is no answer.
 */
export class Orphans {
  private readonly suspectedAt = new Map<string, number>();

  constructor(
    private readonly client: Client,
    private readonly now: () => number = Date.now,
  ) {}

  /** Asks about owners that somebody has reason to suspect, and answers with those that are lost. */
  async lost(suspects: readonly InstanceOwner[]): Promise<readonly InstanceOwner[]> {
    for (const uid of [...this.suspectedAt.keys()]) if (!suspects.some((one) => one.uid === uid)) this.suspectedAt.delete(uid);
    const lost: InstanceOwner[] = [];
    for (const owner of suspects) if (await this.isLost(owner)) lost.push(owner);
    return lost;
  }

  private async isLost(owner: InstanceOwner): Promise<boolean> {
    const isThere = await isAlive(this.client, owner);
    if (isThere === undefined) return false;
    if (isThere) {
      this.suspectedAt.delete(owner.uid);
      return false;
    }
    const since = this.suspectedAt.get(owner.uid);
    if (since === undefined) this.suspectedAt.set(owner.uid, this.now());
    return since !== undefined && this.now() - since >= GRACE_MS;
  }
}

/** Whether the very resource lives; undefined when Temporal does not say. */
async function isAlive(client: Client, { resource, uid }: InstanceOwner): Promise<boolean | undefined> {
  try {
    const { status, raw, runId } = await client.workflow.getHandle(resource).describe();
    const first = raw.workflowExecutionInfo?.firstRunId || runId;
    return status.name === 'RUNNING' && first === uid;
  } catch (error) {
    return isAbsent(error) ? false : undefined;
  }
}
