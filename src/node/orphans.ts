import type { Client } from '@temporalio/client';
import { describeAlive } from '../../activities/resources/incarnation.ts';

/** How long nobody may be there for an owner before what it owns are orphans. */
const GRACE_MS = 30_000;

/** A resource that owns something: instances, or other resources. */
export interface Owner {
  readonly uid: string;
  /** Id of its workflow. */
  readonly resource: string;
}

/**
 * Finds owners that are no more: ended by hand, or deleted while nobody could clean up.
 *
 * Guarantees: an owner is lost only when Temporal itself said so twice, with a grace between; no answer is no answer.
 */
export class Orphans {
  private readonly suspectedAt = new Map<string, number>();

  constructor(
    private readonly client: Client,
    private readonly graceMs: number = GRACE_MS,
    private readonly now: () => number = Date.now,
  ) {}

  /** Asks about owners that somebody has reason to suspect, and answers with those that are lost. */
  async lost<T extends Owner>(suspects: readonly T[]): Promise<readonly T[]> {
    for (const uid of [...this.suspectedAt.keys()]) if (!suspects.some((one) => one.uid === uid)) this.suspectedAt.delete(uid);
    const lost: T[] = [];
    for (const owner of suspects) if (await this.isLost(owner)) lost.push(owner);
    return lost;
  }

  private async isLost(owner: Owner): Promise<boolean> {
    const isThere = await isAlive(this.client, owner);
    if (isThere === undefined) return false;
    if (isThere) {
      this.suspectedAt.delete(owner.uid);
      return false;
    }
    const since = this.suspectedAt.get(owner.uid);
    if (since === undefined) this.suspectedAt.set(owner.uid, this.now());
    return since !== undefined && this.now() - since >= this.graceMs;
  }
}

/** Whether the very resource lives; undefined when Temporal does not say. */
const isAlive = (client: Client, { resource: id, uid }: Owner): Promise<boolean | undefined> =>
  describeAlive(client, { id, uid }).then(
    (described) => described !== undefined,
    () => undefined,
  );
