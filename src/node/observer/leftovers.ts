import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { isFinished } from '../../../activities/flows/run-phase.ts';
import { describeAlive, phaseOf } from '../../../activities/resources/incarnation.ts';
import { type Runtime, type Seen, Unreachable } from '../../../activities/runtimes/runtime.ts';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';
import { pause } from '../../client/pause.ts';
import { Orphans } from '../orphans.ts';
import { Broom } from './broom.ts';

export interface LeftoversOptions {
  readonly client: Client;
  readonly runtimes: readonly Runtime[];
  readonly log: Logger;
  readonly sweepMs?: number;
  /** How long a run must be gone. */
  readonly graceMs?: number;
}

const SWEEP_MS = 15_000;

/**
 * Removes what steps of flows have run, once nobody can ask for it again: when the run is finished, or is no more.
 *
 * Guarantees: nothing of a run that goes on is touched, whether it has ended or not; a run is taken for gone only as Orphans does.
 */
export class Leftovers {
  private readonly orphans: Orphans;
  private readonly broom: Broom;

  constructor(private readonly options: LeftoversOptions) {
    this.orphans = new Orphans(options.client, options.graceMs);
    this.broom = new Broom(options.log);
  }

  /** Comes back after the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { sweepMs = SWEEP_MS, log } = this.options;
    while (!signal.aborted) {
      await pause(sweepMs, { signal });
      if (signal.aborted) return;
      await this.sweep(signal).catch((error: unknown) => {
        if (!(error instanceof Unreachable)) log.warn({ reason: (error as Error).message }, 'could not look for leftovers; trying again');
      });
    }
  }

  private async sweep(signal: AbortSignal): Promise<void> {
    const here: { readonly runtime: Runtime; readonly seen: readonly Seen[] }[] = [];
    // Runtimes that keep what they start run no steps.
    for (const runtime of this.options.runtimes.filter(({ converge }) => converge === undefined)) {
      const listed = await runtime.list().catch(nothingIfUnreachable);
      here.push({ runtime, seen: listed.filter(({ once }) => once) });
    }
    const owners = new Map(here.flatMap(({ seen }) => seen.map(({ owner }) => [owner.uid, owner] as const)));
    const lost = await this.orphans.lost([...owners.values()]);
    const finished: InstanceOwner[] = [];
    for (const owner of owners.values()) if (await this.isFinished(owner)) finished.push(owner);
    const over = new Set([...lost, ...finished].map(({ uid }) => uid));
    if (signal.aborted) return;
    const note = ({ name, owner }: Seen): void =>
      this.options.log.info({ instance: name, resource: owner.resource }, 'removed: its run is over');
    // Nobody waits for that: some may take their time to end.
    for (const { runtime, seen } of here)
      void this.broom.sweep(
        runtime,
        seen.filter(({ owner }) => over.has(owner.uid)),
        note,
      );
  }

  /** Finished, and no step of it is on its way any more. */
  private async isFinished({ resource: id, uid }: InstanceOwner): Promise<boolean> {
    const described = await describeAlive(this.options.client, { id, uid });
    if (!described || !isFinished(phaseOf(described))) return false;
    const pending = described.raw.pendingActivities ?? [];
    return !pending.some(({ activityType }) => activityType?.name === 'runInstance');
  }
}

function nothingIfUnreachable(error: unknown): readonly Seen[] {
  if (error instanceof Unreachable) return [];
  throw error;
}
