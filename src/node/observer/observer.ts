import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Warden } from '../../../activities/instances/warden.ts';
import { type Runtime, type Seen, Unreachable } from '../../../activities/runtimes/runtime.ts';
import type { InstanceOwner, Sighting } from '../../../definitions/core/instance.ts';
import { pause } from '../../client/pause.ts';
import { Orphans } from '../orphans.ts';
import { Broom } from './broom.ts';
import type { Resident } from './residents.ts';
import { tell } from './tell.ts';

export interface ObserverOptions {
  readonly client: Client;
  readonly warden: Warden;
  readonly runtime: Runtime;
  readonly log: Logger;
  /** Who should have instances here, of whatever runtime. */
  readonly residents: () => Promise<ReadonlyMap<string, Resident>>;
  readonly sweepMs?: number;
  /** How long an owner must be gone. */
  readonly graceMs?: number;
}

interface Patron {
  readonly owner: InstanceOwner;
  /** What it was last told, without the time. */
  told: string | undefined;
  last: Sighting | undefined;
  /** Something may have changed since it was last looked at. */
  isDirty: boolean;
  isServed: boolean;
}

const SWEEP_MS = 20_000;
const AGAIN_MS = 300;
const LONGEST_AGAIN_MS = 5_000;
const LONGEST_BLIND_MS = 2_000;
/** How long a runtime may be silent before its owners are told that nobody knows. */
const BLIND_AFTER_MS = 5_000;
const ASK_AGAIN_MS = 10_000;

/**
 * Watches one runtime of a node and tells every owner what changed of its instances.
 *
 * Level-triggered: whatever was missed while the agent, the engine or Temporal was away is found by the next look around. What
 * the node's own activities do is not told: their answers say it already. One message at a time per owner.
 */
export class Observer {
  private readonly patrons = new Map<string, Patron>();
  private readonly orphans: Orphans;
  private readonly broom: Broom;
  private blindSince: number | undefined;
  /** Somebody may be gone: that is looked into sooner. */
  private isSuspicious = false;

  constructor(private readonly options: ObserverOptions) {
    this.orphans = new Orphans(options.client, options.graceMs);
    this.broom = new Broom(options.log);
  }

  /** Comes back after the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { warden, runtime } = this.options;
    const unlisten = warden.listen({
      changed: (owner, by) => by === runtime.name && this.note(owner),
      answered: (owner, by, sighting) => by === runtime.name && this.settle(owner, sighting),
    });
    const sweeping = this.sweepUntil(signal);
    await this.watchUntil(signal);
    await sweeping;
    unlisten();
  }

  private async watchUntil(signal: AbortSignal): Promise<void> {
    const { runtime, log } = this.options;
    let again = AGAIN_MS;
    while (!signal.aborted) {
      try {
        await runtime.watch(
          () => {
            again = AGAIN_MS;
            this.blindSince = undefined;
            void this.lookAround(signal);
          },
          (owner) => this.note(owner),
          signal,
        );
      } catch (error) {
        this.blindSince ??= Date.now();
        if (!(error instanceof Unreachable)) log.error({ reason: (error as Error).message }, 'watching failed');
      }
      if (signal.aborted) return;
      if (this.blindSince !== undefined && Date.now() - this.blindSince > BLIND_AFTER_MS) this.tellBlindness();
      await pause(again, { signal });
      again = Math.min(LONGEST_BLIND_MS, again * 2);
    }
  }

  private async sweepUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { sweepMs = SWEEP_MS } = this.options;
      await pause(this.isSuspicious ? Math.min(sweepMs, ASK_AGAIN_MS) : sweepMs, { signal });
      if (!signal.aborted && this.blindSince === undefined) await this.lookAround(signal);
    }
  }

  /** Compares everything that is here with what was told, and finds owners that are gone. */
  private async lookAround(signal: AbortSignal): Promise<void> {
    const { residents, warden, runtime } = this.options;
    try {
      const here = await warden.lookAround(runtime);
      for (const { owner, sighting } of here.values()) this.compare(owner, sighting);
      const expected = await residents();
      for (const { runtime: by, ...owner } of expected.values())
        if (by === runtime.name && !here.has(owner.uid)) this.compare(owner, NOBODY);
      const suspects = [...here.values()].map(({ owner }) => owner).filter(({ uid }) => !expected.has(uid));
      const lost = await this.orphans.lost(suspects);
      for (const owner of lost) if (!signal.aborted) this.sweepAway(owner).catch(this.again);
      this.isSuspicious = suspects.length > lost.length;
      for (const [uid] of this.patrons) if (!here.has(uid) && !expected.has(uid)) this.patrons.delete(uid);
    } catch (error) {
      this.again(error);
    }
  }

  private readonly again = (error: unknown): void => {
    if (!(error instanceof Unreachable)) this.options.log.warn({ reason: (error as Error).message }, 'could not look around; trying again');
  };

  private settle(owner: InstanceOwner, { problems: _problems, ...sighting }: Sighting): void {
    const patron = this.patron(owner);
    patron.told = textOf(sighting);
    patron.last = sighting;
  }

  private compare(owner: InstanceOwner, sighting: Sighting): void {
    const patron = this.patron(owner);
    if (patron.told !== textOf(sighting)) this.note(owner);
  }

  /** Nobody waits for this: what is left may take its grace, however long that is, while others are looked after. */
  private async sweepAway(owner: InstanceOwner): Promise<void> {
    const { warden, runtime, log } = this.options;
    if (warden.isAtWork(owner.uid)) return;
    const note = ({ name }: Seen): void => log.warn({ instance: name, resource: owner.resource }, 'removed: its resource is gone');
    await warden.alone(owner.uid, async () => this.broom.sweep(runtime, await runtime.list(owner.uid), note));
    this.patrons.delete(owner.uid);
  }

  private note(owner: InstanceOwner): void {
    const patron = this.patron(owner);
    patron.isDirty = true;
    if (!patron.isServed) void this.serve(patron);
  }

  private patron(owner: InstanceOwner): Patron {
    const known = this.patrons.get(owner.uid);
    if (known) return known;
    const patron: Patron = { owner, told: undefined, last: undefined, isDirty: false, isServed: false };
    this.patrons.set(owner.uid, patron);
    return patron;
  }

  /** Looks and tells until nothing is new; while the node itself works on the instances, its answer is waited for. */
  private async serve(patron: Patron): Promise<void> {
    const { warden, runtime, client, log } = this.options;
    const { owner } = patron;
    patron.isServed = true;
    let again = AGAIN_MS;
    try {
      while (patron.isDirty && this.patrons.get(owner.uid) === patron) {
        patron.isDirty = false;
        if (warden.isAtWork(owner.uid)) await warden.alone(owner.uid, async () => {});
        const sighting = await warden.look(runtime, owner.uid);
        if (textOf(sighting) === patron.told) continue;
        const result = warden.isAtWork(owner.uid) ? 'later' : await tell(client, warden.node, owner, sighting);
        if (result === 'told') {
          patron.told = textOf(sighting);
          patron.last = sighting;
        }
        if (result !== 'later') continue;
        patron.isDirty = true;
        await pause(again);
        again = Math.min(LONGEST_AGAIN_MS, again * 2);
      }
    } catch (error) {
      // Found again by the next look around.
      if (!(error instanceof Unreachable)) log.warn({ reason: (error as Error).message, resource: owner.resource }, 'could not look');
    } finally {
      patron.isServed = false;
    }
  }

  /** Nobody knows how things stand: owners hear that, once, and do nothing until somebody knows again. */
  private tellBlindness(): void {
    const { client, warden, runtime } = this.options;
    const unreachable = `its ${runtime.name} runtime does not answer.`;
    for (const patron of this.patrons.values()) {
      if (patron.told?.startsWith(BLIND) || warden.isAtWork(patron.owner.uid)) continue;
      const { last } = patron;
      if (!last) continue;
      patron.told = `${BLIND}${patron.told}`;
      const value = { ...last, asOf: { boot: 'blind', seq: 0 }, unreachable };
      void tell(client, warden.node, patron.owner, value).then((result) => {
        if (result === 'later' && patron.told?.startsWith(BLIND)) patron.told = patron.told.slice(BLIND.length);
      });
    }
  }
}

const BLIND = 'blind: ';
const NOBODY: Sighting = { asOf: { boot: '', seq: 0 }, instances: [] };

function textOf({ asOf: _asOf, ...sighting }: Sighting): string {
  return JSON.stringify(sighting);
}
