import { setTimeout as sleep } from 'node:timers/promises';
import type { InstanceOwner, InstanceRevision } from '../../../definitions/core/instance.ts';
import type { Template } from '../../../definitions/core/template.ts';
import type { Revealer } from '../../secrets/revealer.ts';
import type { NodePolicy } from '../policy.ts';
import { type EnsureManner, Problem, Unreachable } from '../runtime.ts';
import { checkPolicy } from './check-policy.ts';
import type { Containers, Inspected } from './containers.ts';
import { createBody, type Wanted } from './create-body.ts';
import { CHANGE_TIMEOUT_MS } from './engine.ts';
import { isMissingImage, isMissingNetwork, isStatus, startProblem } from './errors.ts';
import { withRealPaths } from './host-path.ts';
import type { Images } from './images.ts';
import { type Identity, identityOf } from './labels.ts';
import type { Listings } from './listings.ts';
import { containerName, isNameOf, MAX_NAMES } from './names.ts';
import type { Networks } from './networks.ts';
import { removeContainer, untilGone } from './stopping.ts';

/** How often the world may change under our hands before we give up for now. */
const MAX_ROUNDS = 5;
/** Somebody is just making the container that we want: its name is taken before it can be looked at. */
const IN_THE_MAKING_MS = 50;
const MAX_WAITS = 200;
/** In the engine's words: whatever shall run once has done so. */
const ENDED: readonly string[] = ['exited', 'dead', 'removing'];

/**
 * Makes slots run.
 *
 * Guarantees: for one owner, slot and digest there is never a second container while the first is there, whatever answer got lost:
 * its name is derived, and whoever holds that name is looked at before anything is done.
 */
export class Ensurer {
  constructor(
    readonly containers: Containers,
    readonly listings: Listings,
    readonly images: Images,
    readonly networks: Networks,
    readonly policy: NodePolicy,
    readonly revealer: Revealer | undefined,
  ) {}

  async ensure(owner: InstanceOwner, revision: InstanceRevision, slot: number, { once = false }: EnsureManner = {}): Promise<void> {
    checkPolicy(revision.template, this.policy);
    const { engine, scope } = this.containers;
    const template = await withRealPaths(revision.template, this.policy.hostPaths, engine.socketPath);
    const wanted: Wanted = { owner, revision: { ...revision, template }, slot, once };
    try {
      for (let round = 0; round < MAX_ROUNDS; round += 1) if (await this.#attempt(wanted)) return;
    } catch (error) {
      // It may have been done nevertheless.
      if (!(error instanceof Problem)) this.listings.forget(owner.uid);
      throw await this.#concealed(startProblem(error, scope.node), template);
    }
    throw new Unreachable('the container is changed by somebody else all the time');
  }

  /** Starts it by id; also makes the network that it needs, should that be missing. False when it is not there any more. */
  async start(id: string, network: string | undefined): Promise<boolean> {
    try {
      if (await this.#started(id)) return true;
      if (network === undefined) return false;
      await this.networks.ensure(network);
      if (await this.#started(id)) return true;
      // It was in a network of that name which is gone, and holds on to that one's id.
      await removeContainer(this.containers.engine, id);
      return false;
    } catch (error) {
      // 409: paused meanwhile, or marked for removal.
      if (isStatus(error, 409) || (isStatus(error, 404) && /no such container/i.test(error.sentence))) return false;
      throw error;
    }
  }

  /** False: its network is missing. */
  async #started(id: string): Promise<boolean> {
    try {
      await this.containers.engine.call('POST', `/containers/${id}/start`, { timeoutMs: CHANGE_TIMEOUT_MS });
      return true;
    } catch (error) {
      if (isMissingNetwork(error)) return false;
      throw error;
    }
  }

  /** False: something was in the way and is dealt with; look again. */
  async #attempt(wanted: Wanted): Promise<boolean> {
    const { owner, revision, slot } = wanted;
    const known = await this.listings.find(owner.uid, slot, revision.digest);
    if (!known) {
      const made = await this.#create(wanted);
      return typeof made === 'string' ? await this.#begin(made, wanted) : await this.#wake(made, wanted);
    }
    if (this.#isFine(known, wanted)) return true;
    if (this.#isAsleep(known, wanted)) return wanted.once || (await this.#begin(known, wanted));
    const there = await this.containers.inspect(known);
    if (there) return await this.#wake(there, wanted);
    this.listings.forget(owner.uid);
    return false;
  }

  /** While events come in, what was seen last still holds. */
  #isFine(id: string, { owner, revision, slot }: Wanted): boolean {
    const seen = this.containers.known.inspection(id)?.seen;
    return seen?.state === 'running' && isNameOf(seen.name, owner, slot, revision.digest);
  }

  #isAsleep(id: string, { owner, revision, slot }: Wanted): boolean {
    const seen = this.containers.known.inspection(id)?.seen;
    return seen?.state === 'exited' && isNameOf(seen.name, owner, slot, revision.digest);
  }

  async #begin(id: string, wanted: Wanted): Promise<boolean> {
    const { owner, revision, slot } = wanted;
    if (!(await this.start(id, revision.template.network))) {
      this.listings.forget(owner.uid);
      this.containers.known.drop(id);
      return false;
    }
    this.listings.made(owner.uid, slot, revision.digest, id);
    await this.containers.refresh(id);
    return true;
  }

  /** Brings a container that exists to run. */
  async #wake({ container: { Id: id, Name, State } }: Inspected, wanted: Wanted): Promise<boolean> {
    const { engine } = this.containers;
    if (wanted.once && ENDED.includes(State.Status)) return true;
    switch (State.Status) {
      case 'running':
      case 'restarting':
        await this.#nameBack(id, Name.replace(/^\//, ''), wanted);
        return true;
      case 'created':
      case 'exited':
        // Its end is remembered before the engine forgets it.
        if (State.Status === 'exited') await this.containers.refresh(id);
        return await this.#begin(id, wanted);
      case 'paused':
        await engine.call('POST', `/containers/${id}/unpause`).catch((error: unknown) => {
          if (!isStatus(error, 404, 409, 500)) throw error;
        });
        return false;
      case 'dead':
      case 'removing':
        await removeContainer(engine, id);
        break;
      default:
        await untilGone(engine, id);
    }
    this.listings.forget(wanted.owner.uid);
    return false;
  }

  /** The id of a new container, or the one that has its place already. */
  async #create(wanted: Wanted): Promise<string | Inspected> {
    const { owner, revision, slot } = wanted;
    let turn = 1;
    for (let waits = 0; waits < MAX_WAITS; ) {
      const name = containerName(owner, slot, revision.digest, turn);
      const id = await this.#post(name, wanted);
      if (id !== undefined) return id;
      const holder = await this.containers.raw(name);
      if (!holder) {
        await sleep(IN_THE_MAKING_MS);
        waits += 1;
        continue;
      }
      const identity = identityOf(holder.Config.Labels, this.containers.scope);
      if (identity && isSame(identity, wanted)) return { container: holder, identity };
      if (turn === MAX_NAMES) break;
      turn += 1;
    }
    throw new Problem('StartFailed', 'other containers hold all the names that it could have: rename or remove them');
  }

  /** Undefined: the name is taken. */
  async #post(name: string, wanted: Wanted): Promise<string | undefined> {
    const { engine, scope } = this.containers;
    const image = wanted.revision.image?.ref ?? wanted.revision.template.image;
    if (image === undefined) throw new Problem('ImageMissing', 'its template names no image');
    const body = createBody(name, image, await this.#revealed(wanted), scope, this.policy);
    const create = () => engine.call<{ Id: string }>('POST', '/containers/create', { query: { name }, body, timeoutMs: CHANGE_TIMEOUT_MS });
    try {
      return (await create()).Id;
    } catch (error) {
      if (isStatus(error, 409)) return undefined;
      if (isMissingImage(error)) await this.images.fetch(image);
      else if (isMissingNetwork(error)) await this.networks.ensure(wanted.revision.template.network ?? '');
      else throw error;
    }
    try {
      return (await create()).Id;
    } catch (error) {
      if (isStatus(error, 409)) return undefined;
      throw error;
    }
  }

  /** What the engine is told, and nobody else. */
  async #revealed(wanted: Wanted): Promise<Wanted> {
    const { revision } = wanted;
    return this.revealer ? { ...wanted, revision: { ...revision, template: await this.revealer.reveal(revision.template) } } : wanted;
  }

  /** The engine may repeat a command that it could not run. */
  async #concealed(error: unknown, template: Template): Promise<unknown> {
    return error instanceof Problem && this.revealer
      ? new Problem(error.reason, await this.revealer.conceal(error.message, template))
      : error;
  }

  /** Somebody renamed it: it gets its name again, unless a stranger took it. */
  async #nameBack(id: string, name: string, { owner, revision, slot }: Wanted): Promise<void> {
    if (isNameOf(name, owner, slot, revision.digest)) return;
    for (let turn = 1; turn <= MAX_NAMES; turn += 1) {
      try {
        const query = { name: containerName(owner, slot, revision.digest, turn) };
        return await this.containers.engine.call('POST', `/containers/${id}/rename`, { query });
      } catch (error) {
        if (isStatus(error, 404)) return;
        if (!isStatus(error, 409)) throw error;
      }
    }
  }
}

function isSame(identity: Identity, { owner, revision, slot }: Wanted): boolean {
  return identity.owner.uid === owner.uid && identity.slot === slot && identity.digest === revision.digest;
}
