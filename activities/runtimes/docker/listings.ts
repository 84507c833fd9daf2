import type { Containers, Listed } from './containers.ts';

/** How long a listing may serve to know what is *not* there; what is there is looked at again anyway. */
const FRESH_MS = 5_000;
/** From here on, those of owners who left long ago are thrown away. */
const MANY = 1_000;

interface Listing {
  readonly at: number;
  /** Ids, by slot and digest. */
  readonly ids: Map<string, string>;
}

/**
 * The last listing of each owner, so that many slots started at once need not each list.
 *
 * Guarantees: forgotten whenever something happened that may have left a container behind or moved one under another name.
 */
export class Listings {
  readonly #last = new Map<string, Listing>();
  readonly #underWay = new Map<string, Promise<Listing>>();

  constructor(readonly containers: Containers) {}

  async list(uid: string): Promise<readonly Listed[]> {
    const at = Date.now();
    this.#last.delete(uid);
    const listed = await this.containers.list(uid);
    this.#remember(uid, at, listed);
    return listed;
  }

  /** The id of the container of a slot, if the last listing had one. */
  async find(uid: string, slot: number, digest: string): Promise<string | undefined> {
    const last = this.#last.get(uid);
    const listing = last && Date.now() - last.at < FRESH_MS ? last : await this.#refresh(uid);
    return listing.ids.get(key(slot, digest));
  }

  made(uid: string, slot: number, digest: string, id: string): void {
    this.#last.get(uid)?.ids.set(key(slot, digest), id);
  }

  forget(uid: string): void {
    this.#last.delete(uid);
    this.#underWay.delete(uid);
  }

  /** One listing for all slots that wait for one. */
  #refresh(uid: string): Promise<Listing> {
    const shared = this.#underWay.get(uid);
    if (shared !== undefined) return shared;
    const at = Date.now();
    const underWay = this.containers
      .list(uid)
      .then((listed) => this.#remember(uid, at, listed))
      .finally(() => {
        if (this.#underWay.get(uid) === underWay) this.#underWay.delete(uid);
      });
    this.#underWay.set(uid, underWay);
    return underWay;
  }

  #remember(uid: string, at: number, listed: readonly Listed[]): Listing {
    // Of two for one place the running one counts, then the first.
    const best = listed.toSorted((a, b) => Number(b.status === 'running') - Number(a.status === 'running'));
    const ids = new Map(best.toReversed().map(({ id, identity: { slot, digest } }) => [key(slot, digest), id]));
    const listing = { at, ids };
    this.#last.set(uid, listing);
    if (this.#last.size > MANY) for (const [one, { at }] of this.#last) if (Date.now() - at >= FRESH_MS) this.#last.delete(one);
    return listing;
  }
}

const key = (slot: number, digest: string): string => `${slot}/${digest}`;
