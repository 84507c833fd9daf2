import { ENGINE_NETWORKS } from './create-body.ts';
import type { Engine } from './engine.ts';
import { isStatus } from './errors.ts';
import type { Scope } from './labels.ts';

interface Network {
  readonly Id: string;
  readonly Name: string;
}

/**
 * Networks that templates name.
 *
 * Guarantees: one that somebody else made is joined but never removed.
 */
export class Networks {
  /** By name: the engine would make two of one name. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(
    readonly engine: Engine,
    readonly scope: Scope,
  ) {}

  /** Makes it unless it is there. */
  ensure(name: string): Promise<void> {
    const making = this.#making.get(name) ?? this.#make(name).finally(() => this.#making.delete(name));
    this.#making.set(name, making);
    return making;
  }

  /**
   * Removes those of these names (or all) that are ours and that no container has, not even a stopped one: it could not be started again.
   * A container that waits for its network to be made counts as well.
   */
  async removeUnused(names?: readonly string[]): Promise<void> {
    if (names?.every((name) => ENGINE_NETWORKS.includes(name))) return;
    const ours = await this.#list({ label: [`colony.cluster=${this.scope.cluster}`] });
    for (const network of ours) {
      if ((names && !names.includes(network.Name)) || (await this.#isUsed(network))) continue;
      try {
        await this.engine.call('DELETE', `/networks/${network.Id}`);
      } catch (error) {
        // 403 (and 409 in newer engines): somebody is in it.
        if (!isStatus(error, 403, 404, 409)) throw error;
      }
    }
  }

  async #isUsed({ Id, Name }: Network): Promise<boolean> {
    const query = { all: true, filters: { network: [Id, Name] } };
    return (await this.engine.call<unknown[]>('GET', '/containers/json', { query })).length > 0;
  }

  async #make(name: string): Promise<void> {
    if (await this.#find(name)) return;
    const body = { Name: name, CheckDuplicate: true, Labels: { 'colony.cluster': this.scope.cluster } };
    try {
      await this.engine.call('POST', '/networks/create', { body });
    } catch (error) {
      if (!isStatus(error, 409)) throw error;
    }
  }

  async #find(name: string): Promise<Network | undefined> {
    return (await this.#list({ name: [name] })).find(({ Name }) => Name === name);
  }

  async #list(filters: Readonly<Record<string, readonly string[]>>): Promise<readonly Network[]> {
    return (await this.engine.call<Network[] | undefined>('GET', '/networks', { query: { filters } })) ?? [];
  }
}
