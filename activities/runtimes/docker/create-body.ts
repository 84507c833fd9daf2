import type Docker from 'dockerode';
import type { InstanceOwner, InstanceRevision } from '../../../definitions/core/instance.ts';
import type { Mount, Port } from '../../../definitions/core/template.ts';
import type { NodePolicy } from '../policy.ts';
import { labelsOf, type Scope } from './labels.ts';
import { recipeOf } from './recipe.ts';

/** One slot that should run. */
export interface Wanted {
  readonly owner: InstanceOwner;
  readonly revision: InstanceRevision;
  readonly slot: number;
  /** Never started a second time. */
  readonly once?: boolean;
}

/** Networks that come with the engine: no aliases there, never made or removed. */
export const ENGINE_NETWORKS: readonly string[] = ['bridge', 'default', 'none'];

/**
 * The body of `POST /containers/create`: hardened unless the node's policy and the template agree on less.
 *
 * Assumes that the policy was checked, and that path mounts already stand as the real paths that were checked.
 */
export function createBody(name: string, image: string, wanted: Wanted, scope: Scope, policy: NodePolicy): Docker.ContainerCreateOptions {
  const { owner, revision, slot, once } = wanted;
  const { template } = revision;
  const recipe = recipeOf(template, policy);
  const { entrypoint, command, workingDir, user, network, stop, ports } = template;
  return {
    Image: image,
    Hostname: name,
    Env: environment(name, wanted),
    Labels: labelsOf(scope, owner, revision, slot, recipe, once),
    ...(entrypoint.length > 0 && { Entrypoint: [...entrypoint] }),
    ...(command.length > 0 && { Cmd: [...command] }),
    ...(workingDir !== undefined && { WorkingDir: workingDir }),
    ...(user !== undefined && { User: user }),
    StopSignal: stop.signal,
    StopTimeout: stop.graceSeconds,
    ExposedPorts: Object.fromEntries(ports.map((port) => [portKey(port), {}])),
    ...(network !== undefined &&
      !ENGINE_NETWORKS.includes(network) && {
        NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [...new Set([owner.name, name])] } } },
      }),
    HostConfig: {
      NetworkMode: network ?? 'default',
      PortBindings: Object.fromEntries(ports.map((port) => [portKey(port), [binding(port, slot, policy)]])),
      Mounts: template.mounts.map(mountOf) as unknown as Docker.MountConfig,
      Memory: recipe.memory,
      MemorySwap: recipe.memory,
      NanoCpus: recipe.nanoCpus,
      PidsLimit: recipe.pids,
      Privileged: template.privileged,
      CapDrop: ['ALL'],
      CapAdd: template.capabilities.map(capabilityName),
      SecurityOpt: ['no-new-privileges'],
      Init: false,
      RestartPolicy: { Name: 'no' },
      LogConfig: {
        Type: 'json-file',
        Config: { 'max-size': String(policy.defaults.logBytes), 'max-file': String(policy.defaults.logFiles) },
      },
    },
  };
}

/** `cap_net_admin`, `NET_ADMIN` and `CAP_NET_ADMIN` are one. */
export const capabilityName = (name: string): string => name.toUpperCase().replace(/^CAP_/, '');

function environment(name: string, { owner, revision, slot }: Wanted): string[] {
  const all = {
    ...revision.template.env,
    COLONY_INSTANCE: name,
    COLONY_SLOT: String(slot),
    COLONY_RESOURCE: owner.resource,
  };
  return Object.entries(all).map(([key, value]) => `${key}=${value}`);
}

const portKey = ({ container, protocol }: Port): string => `${container}/${protocol}`;

/** Only one slot can have a fixed port; further ones get free ones. */
const binding = ({ host }: Port, slot: number, { portAddress }: NodePolicy) => ({
  HostIp: portAddress,
  HostPort: host !== undefined && slot === 0 ? String(host) : '',
});

function mountOf({ type, source, target, readOnly }: Mount) {
  switch (type) {
    case 'volume':
      return { Type: 'volume', Source: source, Target: target, ReadOnly: readOnly };
    case 'path':
      return { Type: 'bind', Source: source, Target: target, ReadOnly: readOnly, BindOptions: { Propagation: 'rprivate' } };
    case 'memory':
      return { Type: 'tmpfs', Target: target, ReadOnly: readOnly };
  }
}
