import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import type { Instance, InstanceOwner, Sighting } from '../../definitions/core/instance.ts';
import type { ProbeCheck, RuntimeName } from '../../definitions/core/template.ts';
import type { Runtime, Seen } from '../runtimes/runtime.ts';
import { Prober } from './prober.ts';
import { Turns } from './turns.ts';

/** Engine calls at once; more only add latency (measured). */
const AT_ONCE = 8;

export interface WardenListener {
  /** What can be said of the owner's instances may have changed without the runtime knowing. */
  changed(owner: InstanceOwner, runtime: RuntimeName): void;
  /** The owner is being told this by an activity. */
  answered(owner: InstanceOwner, runtime: RuntimeName, sighting: Sighting): void;
}

export interface WardenOptions {
  readonly node: string;
  readonly runtimes: ReadonlyMap<RuntimeName, Runtime>;
  /** Identities of whoever polls a Temporal task queue now. */
  readonly pollersOf: (queue: string) => Promise<readonly string[]>;
}

/**
 * Everything of ours on one node: who looks, in which order, and one at a time per owner.
 *
 * There is one warden in an agent; the activity that changes things and the observer that reports them share it, so that
 * neither acts on what the other is just changing.
 */
export class Warden {
  readonly node: string;
  readonly runtimes: ReadonlyMap<RuntimeName, Runtime>;
  /** Everybody's calls that change something. */
  readonly gate = pLimit(AT_ONCE);
  private readonly boot = randomUUID();
  private seq = 0;
  private readonly turns = new Turns();
  private readonly prober: Prober;
  private readonly listeners = new Set<WardenListener>();

  constructor({ node, runtimes, pollersOf }: WardenOptions) {
    this.node = node;
    this.runtimes = runtimes;
    this.prober = new Prober({
      ask: async (runtime, instance, check, timeoutMs) => {
        if (check.type === 'taskQueue') await expectPoller(check, instance, await pollersOf(check.queue));
        else await this.runtimes.get(runtime)?.probe(instance.id, check, timeoutMs);
      },
      changed: (owner, runtime) => {
        for (const { changed } of this.listeners) changed(owner, runtime);
      },
    });
  }

  listen(listener: WardenListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** An activity's answer tells this to the owner, so nobody else need. */
  answer(owner: InstanceOwner, runtime: RuntimeName, sighting: Sighting): Sighting {
    for (const { answered } of this.listeners) answered(owner, runtime, sighting);
    return sighting;
  }

  isAtWork(uid: string): boolean {
    return this.turns.isTaken(uid);
  }

  /** Work on an owner's instances, one at a time. */
  alone<T>(uid: string, work: () => Promise<T>): Promise<T> {
    return this.turns.take(uid, work);
  }

  /** What is there of one owner. The order is that of the looks, not of their answers. */
  async look(runtime: Runtime, uid: string): Promise<Sighting> {
    const asOf = this.now();
    const listed = (await runtime.list(uid)).filter(isLasting);
    return { asOf, instances: this.prober.examine(runtime.name, uid, listed) };
  }

  /** What is there of everybody, by owner. */
  async lookAround(runtime: Runtime): Promise<ReadonlyMap<string, { readonly owner: InstanceOwner; readonly sighting: Sighting }>> {
    const asOf = this.now();
    const byOwner = new Map<string, Seen[]>();
    for (const seen of (await runtime.list()).filter(isLasting))
      byOwner.set(seen.owner.uid, [...(byOwner.get(seen.owner.uid) ?? []), seen]);
    return new Map(
      [...byOwner].map(([uid, listed]) => {
        const instances: Instance[] = this.prober.examine(runtime.name, uid, listed);
        return [uid, { owner: (listed[0] as Seen).owner, sighting: { asOf, instances } }];
      }),
    );
  }

  end(): void {
    this.prober.end();
  }

  private now(): Sighting['asOf'] {
    this.seq += 1;
    return { boot: this.boot, seq: this.seq };
  }
}

/** What runs to its end is the business of whoever waits for that. */
const isLasting = ({ once }: Seen): boolean => once !== true;

/** A worker says who it is by its host name, or by the name that colony gave its instance. */
async function expectPoller(check: ProbeCheck & { type: 'taskQueue' }, { name }: Seen, identities: readonly string[]): Promise<void> {
  if (identities.some((identity) => identity.includes(name))) return;
  const [others = `${identities.length} others do`] = ['nobody does', 'another one does'].slice(identities.length);
  throw new Error(`does not poll task queue ${check.queue}; ${others}`);
}
