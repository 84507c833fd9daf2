import type { Engine } from './engine.ts';
import { isStatus } from './errors.ts';
import type { Scope } from './labels.ts';

interface Network {
  readonly Id: string;
  readonly Name: string;
  readonly Labels?: Readonly<Record<string, string>> | null;
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

  /** Removes those that are ours and that no container has, not even a stopped one: it could not be started again. */
  async removeUnused(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.#making.get(name);
      const network = await this.#find(name);
      if (network?.Labels?.['colony.cluster'] !== this.scope.cluster || (await this.#isUsed(network))) continue;
      try {
        await this.engine.call('DELETE', `/networks/${network.Id}`);
      } catch (error) {
        // 403 (and 409 in newer engines): somebody is in it.
        if (!isStatus(error, 403, 404, 409)) throw error;
      }
    }
  }

  async #isUsed({ Id }: Network): Promise<boolean> {
    const users = await this.engine.call<unknown[]>('GET', '/containers/json', { query: { all: true, filters: { network: [Id] } } });
    return users.length > 0;
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
    const answer = await this.engine.call<Network[]>('GET', '/networks', { query: { filters: { name: [name] } } });
    return answer?.find(({ Name }) => Name === name);
  }
}
