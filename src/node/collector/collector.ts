import type { Client } from '@temporalio/client';
import { pause } from '../../client/pause.ts';
import type { Logger } from '../log.ts';
import { Orphans, type Owner } from '../orphans.ts';
import { childrenIn, ownersIn } from './households.ts';
import { missingIn, tellMissing } from './missing.ts';
import { schedulesIn, tellScheduleGone } from './schedules.ts';

export interface CollectorOptions {
  readonly client: Client;
  readonly log: Logger;
  readonly sweepMs?: number;
  readonly graceMs?: number;
}

const SWEEP_MS = 10_000;
const GRACE_MS = 20_000;
/** A sweep that takes long is made more rarely: it may keep the index busy for so much of the time. */
const SHARE = 1 / 4;

/**
 * Keeps families whole where nobody told: deletes children and schedules whose owner is no more, and tells owners of children
 * and schedules that are.
 *
 * Any number of these may run: what they do is the same done twice. Guarantees: nothing is deleted before Temporal itself
 * said twice that its owner is gone; what Temporal does not answer is not acted on.
 */
export class Collector {
  private readonly orphans: Orphans;
  private readonly graceMs: number;
  /** When a Workflow was told of its schedule, by uid: it has time to put that back. */
  private readonly toldAt = new Map<string, number>();

  constructor(private readonly options: CollectorOptions) {
    this.graceMs = options.graceMs ?? GRACE_MS;
    this.orphans = new Orphans(options.client, this.graceMs);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, sweepMs = SWEEP_MS } = this.options;
    while (!signal.aborted) {
      const begun = Date.now();
      await this.sweep().catch((error: Error) => log.warn({ reason: error.message }, 'families could not be looked after; trying again'));
      await pause(Math.max(sweepMs, (Date.now() - begun) / SHARE), { signal });
    }
  }

  async sweep(): Promise<void> {
    const { client, log } = this.options;
    const [children, schedules, owners] = await Promise.all([childrenIn(client), schedulesIn(client), ownersIn(client)]);
    const belongings = [...children, ...schedules.left];
    const suspects = new Map(
      belongings.flatMap(({ owners: theirs }) => theirs.filter(({ uid }) => !owners.has(uid)).map((owner) => [owner.uid, owner] as const)),
    );
    const lost = new Set((await this.orphans.lost([...suspects.values()])).map(({ uid }) => uid));
    for (const belonging of belongings) {
      const { id, isDeleting, owners: theirs } = belonging;
      if (isDeleting || !theirs.every((owner) => lost.has(owner.uid))) continue;
      log.info({ resource: id }, 'its owner is gone, so it goes too');
      await belonging.end().catch((error: Error) => this.warn(id, error));
    }
    for (const owner of owners.values()) {
      const tell = async (): Promise<void> => {
        for (const missing of await missingIn(client, children, owner)) await tellMissing(client, missing);
      };
      await tell().catch((error: Error) => this.warn(owner.resource, error));
    }
    for (const [uid, at] of this.toldAt) if (Date.now() - at >= this.graceMs) this.toldAt.delete(uid);
    for (const owner of schedules.missed) await this.tellSchedule(owner).catch((error: Error) => this.warn(owner.resource, error));
  }

  private async tellSchedule(owner: Owner): Promise<void> {
    if (this.toldAt.has(owner.uid) || !(await tellScheduleGone(this.options.client, owner))) return;
    this.options.log.info({ resource: owner.resource }, 'its schedule is gone, so it looks again');
    this.toldAt.set(owner.uid, Date.now());
  }

  /** Who cannot be helped now does not hold back the others. */
  private warn(resource: string, { message }: Error): void {
    this.options.log.warn({ resource, reason: message }, 'its family could not be looked after; trying again');
  }
}
