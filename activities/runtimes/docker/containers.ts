import type Docker from 'dockerode';
import type { Seen } from '../runtime.ts';
import type { Engine } from './engine.ts';
import { isStatus, unexpected } from './errors.ts';
import { inParallel } from './in-parallel.ts';
import type { Inspection, Known } from './known.ts';
import { type Identity, identityOf, labelFilter, type Scope } from './labels.ts';
import { lastWords } from './logs.ts';
import type { KernelLimits } from './recipe.ts';
import { exitOf, seenOf, stateOf, timeOf } from './seen.ts';

/** One line of a listing that is ours. */
export interface Listed {
  readonly id: string;
  readonly name: string;
  /** In the engine's words. */
  readonly status: string;
  readonly identity: Identity;
}

export interface Inspected {
  readonly container: Docker.ContainerInspectInfo;
  readonly identity: Identity;
}

const AT_ONCE = 8;

/** Finds and looks at containers of one scope. Whatever it hands out is ours by its labels. */
export class Containers {
  #kernel: Promise<KernelLimits> | undefined;
  /** By id, the end whose last words were read: most say none, and are not asked again. */
  readonly #heard = new Map<string, string>();

  constructor(
    readonly engine: Engine,
    readonly scope: Scope,
    readonly known: Known,
  ) {}

  /** By owner, slot, id; also what is going away just now. */
  async list(uid?: string): Promise<readonly Listed[]> {
    const query = { all: true, filters: { label: labelFilter(this.scope, uid) } };
    const answer = await this.#look<Docker.ContainerInfo[]>('/containers/json', query);
    return (answer ?? [])
      .flatMap(({ Id, Names, State, Labels }) => {
        const identity = identityOf(Labels, this.scope);
        return identity ? [{ id: Id, name: (Names?.[0] ?? '').replace(/^\//, ''), status: State, identity }] : [];
      })
      .sort(byOwnerSlotId);
  }

  /** The instances of a listing; looks only at those of which something may be new. */
  async see(listed: readonly Listed[]): Promise<readonly Seen[]> {
    const seen = await inParallel(listed, AT_ONCE, async ({ id, name, status }) => {
      const state = stateOf(status);
      if (!state) return undefined;
      const known = this.known.inspection(id);
      return known?.seen.state === state && known.seen.name === name ? await this.#withWords(id, known) : await this.refresh(id);
    });
    return seen.filter((instance) => instance !== undefined);
  }

  /** Inspects one by id or name; undefined when there is none or it is a stranger's. */
  async inspect(idOrName: string): Promise<Inspected | undefined> {
    const container = await this.raw(idOrName);
    const identity = container && identityOf(container.Config.Labels, this.scope);
    if (identity) this.known.lives.see(container.Id, container.State, this.known.exit(container.Id)?.at);
    return identity && { container, identity };
  }

  /** Whatever it is, also a stranger's: only to be looked at. */
  async raw(idOrName: string): Promise<Docker.ContainerInspectInfo | undefined> {
    try {
      return await this.#look<Docker.ContainerInspectInfo>(`/containers/${encodeURIComponent(idOrName)}/json`);
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** Inspects it and remembers what it saw. */
  async refresh(id: string): Promise<Seen | undefined> {
    const store = this.known.begin(id);
    const inspected = await this.inspect(id);
    if (!inspected) return undefined;
    const { container, identity } = inspected;
    const exit = await this.#exitOf(container);
    const seen = seenOf(container, identity, await this.#kernelLimits(), exit);
    const networks = Object.values(container.NetworkSettings.Networks ?? {}).map(({ NetworkID }) => NetworkID);
    if (seen) store({ seen, networks });
    return seen;
  }

  /** An event tells how it ended, but not what it said last. */
  async #withWords(id: string, { seen }: Inspection): Promise<Seen> {
    const { state, exit } = seen;
    if (state !== 'exited' || !exit || exit.code === 0 || this.#heard.get(id) === exit.at) return seen;
    const log = await lastWords(this.engine, id, this.known.lives.last(id));
    this.#heard.set(id, exit.at);
    return { ...seen, exit: this.known.ended(id, { ...exit, ...(log !== '' && { log }) }) };
  }

  /** Its last end: of the engine while it is stopped, of our memory while it runs again. */
  async #exitOf({ Id, State }: Docker.ContainerInspectInfo) {
    const fresh = exitOf(State);
    const known = this.known.exit(Id);
    if (!fresh) return known;
    const isOfThisLife = known !== undefined && known.at >= (timeOf(State.StartedAt) ?? '');
    if (isOfThisLife && isSameEnd(known.at, fresh.at) && this.#heard.get(Id) === known.at) return known;
    const exit = fresh.code === 0 ? fresh : exitOf(State, await lastWords(this.engine, Id, this.known.lives.last(Id)));
    this.#heard.set(Id, fresh.at);
    return exit && this.known.ended(Id, exit);
  }

  #kernelLimits(): Promise<KernelLimits> {
    this.#kernel ??= this.#look<{ MemoryLimit?: boolean; SwapLimit?: boolean; PidsLimit?: boolean }>('/info').then(
      ({ MemoryLimit = false, SwapLimit = false, PidsLimit = false }) => ({ memory: MemoryLimit, swap: SwapLimit, pids: PidsLimit }),
    );
    this.#kernel.catch(() => {
      this.#kernel = undefined;
    });
    return this.#kernel;
  }

  async #look<T>(path: string, query: Record<string, unknown> = {}): Promise<T> {
    try {
      return await this.engine.call<T>('GET', path, { query });
    } catch (error) {
      throw unexpected(error);
    }
  }
}

function byOwnerSlotId(a: Listed, b: Listed): number {
  const [one, other] = [a.identity, b.identity];
  if (one.owner.uid !== other.owner.uid) return one.owner.uid < other.owner.uid ? -1 : 1;
  return one.slot - other.slot || (a.id < b.id ? -1 : 1);
}

/** An event and an inspect tell the same end a moment apart. */
const isSameEnd = (one: string, other: string): boolean => Math.abs(Date.parse(one) - Date.parse(other)) < 1_000;
