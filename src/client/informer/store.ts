import type { Resource } from '../../../definitions/core/resource.ts';
import { type Change, versionOf } from './change.ts';

/** How many deletions are remembered, so that a late row cannot bring a resource back to life. */
const MAX_TOMBSTONES = 10_000;

/**
 * The resources as last seen, by workflow id.
 *
 * Guarantees: for each resource the changes it returns are ADDED, MODIFIED…, DELETED, with growing versions, whatever is put in
 * and however often; a new uid under an old id is DELETED and then ADDED; what is older than something already known is dropped.
 */
export class Store {
  readonly #resources = new Map<string, Resource>();
  /** Highest version seen of what is gone. */
  readonly #tombstones = new Map<string, number>();
  #highest = 0;

  get size(): number {
    return this.#resources.size;
  }

  /** The highest version ever seen. */
  get highest(): number {
    return this.#highest;
  }

  get(workflowId: string): Resource | undefined {
    return this.#resources.get(workflowId);
  }

  all(): IterableIterator<[string, Resource]> {
    return this.#resources.entries();
  }

  /** Ids that are held and were not seen. */
  missing(seen: ReadonlySet<string>): string[] {
    return [...this.#resources.keys()].filter((id) => !seen.has(id));
  }

  /** Whether a resource of this version would be news. */
  isNews(workflowId: string, version: number): boolean {
    const held = this.#resources.get(workflowId);
    return version > Math.max(held ? versionOf(held) : 0, this.#tombstones.get(workflowId) ?? 0);
  }

  put(workflowId: string, resource: Resource): Change[] {
    const version = versionOf(resource);
    if (!this.isNews(workflowId, version)) return [];
    const before = this.#resources.get(workflowId);
    this.#resources.set(workflowId, resource);
    this.#highest = Math.max(this.#highest, version);
    if (!before) return [{ type: 'ADDED', workflowId, resource }];
    if (before.metadata.uid === resource.metadata.uid) return [{ type: 'MODIFIED', workflowId, resource, before }];
    return [
      { type: 'DELETED', workflowId, resource: before, before },
      { type: 'ADDED', workflowId, resource },
    ];
  }

  /** Takes one incarnation out; `last` is how it was seen in the end, if that is known. Another uid under the id stays. */
  remove(workflowId: string, uid: string, last?: Resource): Change[] {
    const held = this.#resources.get(workflowId);
    if (!held || held.metadata.uid !== uid) return [];
    const resource = last && last.metadata.uid === uid && versionOf(last) >= versionOf(held) ? last : held;
    this.#resources.delete(workflowId);
    this.#bury(workflowId, versionOf(resource));
    return [{ type: 'DELETED', workflowId, resource, before: held }];
  }

  #bury(workflowId: string, version: number): void {
    this.#highest = Math.max(this.#highest, version);
    this.#tombstones.delete(workflowId); // to stand at the end of the order of insertion
    this.#tombstones.set(workflowId, version);
    if (this.#tombstones.size <= MAX_TOMBSTONES) return;
    const oldest = this.#tombstones.keys().next().value;
    if (oldest !== undefined) this.#tombstones.delete(oldest);
  }
}
