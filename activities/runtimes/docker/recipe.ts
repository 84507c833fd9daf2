import type Docker from 'dockerode';
import type { Template } from '../../../definitions/core/template.ts';
import type { NodePolicy } from '../policy.ts';

/** What was asked for of all that a person can change on a container that exists. Kept with it as a label. */
export interface Recipe {
  readonly memory: number;
  readonly nanoCpus: number;
  readonly pids: number;
  /** Null: the engine's own network. */
  readonly network: string | null;
}

/** Limits that this engine's kernel can hold; it silently drops the others. */
export interface KernelLimits {
  readonly memory: boolean;
  readonly swap: boolean;
  readonly pids: boolean;
}

export function recipeOf({ limits, network }: Template, { defaults }: NodePolicy): Recipe {
  return {
    memory: limits.memoryBytes ?? defaults.memoryBytes,
    nanoCpus: Math.round((limits.cpus ?? 0) * 1e9),
    pids: limits.pids ?? defaults.pids,
    network: network === undefined || network === 'default' ? null : network,
  };
}

type Inspected = Pick<Docker.ContainerInspectInfo, 'HostConfig' | 'NetworkSettings'>;

/** Names what somebody changed since it was made; undefined when it is as it was asked for. */
export function handEdits(recipe: Recipe, { HostConfig: host, NetworkSettings }: Inspected, kernel: KernelLimits): string | undefined {
  const networks = Object.keys(NetworkSettings.Networks ?? {}).sort();
  const differences = [
    kernel.memory && differs('memory', host.Memory ?? 0, recipe.memory),
    kernel.memory && kernel.swap && differs('memory with swap', host.MemorySwap ?? 0, recipe.memory),
    differs('cpus', (host.NanoCpus ?? 0) / 1e9, recipe.nanoCpus / 1e9),
    differs('cpu quota', host.CpuQuota || 0, 0),
    differs('cpu shares', host.CpuShares || 0, 0),
    differs('cpu set', host.CpusetCpus || 'any', 'any'),
    kernel.pids && differs('process limit', host.PidsLimit ?? 0, recipe.pids),
    differs('restart policy', host.RestartPolicy?.Name || 'no', 'no'),
    recipe.network === null
      ? networks.length !== 1 && `it is in ${networks.length} networks instead of the engine's own`
      : differs('network', networks.join(' and ') || 'none', recipe.network),
  ].filter((difference) => typeof difference === 'string');
  return differences.length > 0 ? `somebody changed it: ${differences.join(', ')}` : undefined;
}

const differs = (what: string, found: string | number, asked: string | number): string | false =>
  found !== asked && `${what} is ${found} instead of ${asked}`;
