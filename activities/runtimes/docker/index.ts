import type Docker from 'dockerode';
import type { Revealer } from '../../secrets/revealer.ts';
import type { NodePolicy } from '../policy.ts';
import type { Runtime } from '../runtime.ts';
import { Containers } from './containers.ts';
import { engineOf } from './engine.ts';
import { Ensurer } from './ensure.ts';
import { startProblem, unexpected } from './errors.ts';
import { execIn } from './exec.ts';
import { Images } from './images.ts';
import { Known } from './known.ts';
import { Listings } from './listings.ts';
import { logsOf } from './logs.ts';
import { Networks } from './networks.ts';
import { probeContainer } from './probe.ts';
import { Stats } from './stats.ts';
import { keptStop, removeContainer, stopContainer } from './stopping.ts';
import { type Pings, usualPings, watchContainers } from './watch.ts';

export interface DockerRuntimeOptions {
  readonly docker: Docker;
  readonly node: string;
  /** Id of the Temporal namespace: containers of another one are strangers. */
  readonly cluster: string;
  readonly policy: NodePolicy;
  readonly pings?: Pings;
  /** Knows the secrets that templates name; absent: they stay references. */
  readonly revealer?: Revealer | undefined;
}

/** Runs instances as containers of one Docker engine. */
export function createDockerRuntime({ docker, node, cluster, policy, revealer, pings = usualPings }: DockerRuntimeOptions): Runtime {
  const engine = engineOf(docker);
  const scope = { cluster, node };
  const known = new Known();
  const containers = new Containers(engine, scope, known);
  const listings = new Listings(containers);
  const images = new Images(engine);
  const networks = new Networks(engine, scope);
  const ensurer = new Ensurer(containers, listings, images, networks, policy, revealer);
  const stats = new Stats(engine);

  /** Undefined: gone, or not the owner's. */
  const ownedBy = async (uid: string, id: string) => {
    const found = await containers.inspect(id);
    return found?.identity.owner.uid === uid && found.container.Id === id ? found.container : undefined;
  };

  const ours = async (id: string): Promise<string> => {
    const found = await containers.inspect(id);
    if (!found) throw new Error('there is no such instance on this node');
    return found.container.Id;
  };

  return {
    name: 'docker',
    list: async (uid) => await containers.see(uid === undefined ? await containers.list() : await listings.list(uid)),
    ensure: (owner, revision, slot, manner) => ensurer.ensure(owner, revision, slot, manner),

    async restart(uid, id, stop) {
      const container = await ownedBy(uid, id);
      if (!container) return;
      try {
        await stopContainer(engine, container, stop);
        await containers.refresh(id);
        known.drop(id);
        if (await ensurer.start(id, container.HostConfig.NetworkMode)) await containers.refresh(id);
        else listings.forget(uid);
      } catch (error) {
        throw startProblem(error, node);
      }
    },

    async remove(uid, id, stop) {
      const container = await ownedBy(uid, id);
      try {
        // Perhaps it went in a call whose answer was lost, before its network could go.
        if (!container) return await networks.removeUnused();
        if (container.State.Running) await stopContainer(engine, container, stop ?? keptStop(container));
        await removeContainer(engine, id);
        known.gone(id);
        listings.forget(uid);
        await networks.removeUnused(Object.keys(container.NetworkSettings.Networks ?? {}));
      } catch (error) {
        throw unexpected(error);
      }
    },

    resolveImage: (image, pullPolicy, progress, signal) => images.resolve(image, pullPolicy, progress, signal),
    probe: (id, check, timeoutMs) => probeContainer(containers, id, check, timeoutMs),
    logs: (id, options) => logsOf(containers, id, options),
    exec: async (id, request) => await execIn(engine, await ours(id), request),
    stats: (ids) => stats.of(ids),
    watch: (onReady, onChange, signal) => watchContainers(containers, listings, pings, onReady, onChange, signal),
  };
}
