import { constants } from 'node:os';
import type Docker from 'dockerode';
import type { InstanceExit, InstancePort, InstanceState } from '../../../definitions/core/instance.ts';
import type { Seen } from '../runtime.ts';
import type { Identity } from './labels.ts';
import { isNameOf } from './names.ts';
import { handEdits, type KernelLimits } from './recipe.ts';

/** The engine's word for a state in ours; undefined for words that nobody knows. */
export function stateOf(status: string): InstanceState | undefined {
  switch (status) {
    case 'running':
    // Only with a restart policy, which a person may have set by hand.
    case 'restarting':
      return 'running';
    case 'created':
    case 'paused':
    case 'exited':
    case 'dead':
      return status;
    // Mostly gone in a moment; but an engine that fails to remove one says so for ever, and nobody else would try again.
    case 'removing':
      return 'dead';
    default:
      return undefined;
  }
}

/** What an inspect says, as an instance; undefined in a state that nobody knows. `exit`: of the last end, as far as it is known. */
export function seenOf(
  inspected: Docker.ContainerInspectInfo,
  identity: Identity,
  kernel: KernelLimits,
  exit: InstanceExit | undefined,
): Seen | undefined {
  const { State: found, NetworkSettings } = inspected;
  const state = stateOf(found.Status);
  if (!state) return undefined;
  const { owner, slot, digest, generation, probes, recipe, once } = identity;
  const health = state === 'running' ? healthOf(found.Health) : { ready: false };
  const startedAt = timeOf(found.StartedAt);
  const handEdited = recipe && handEdits(recipe, inspected, kernel);
  const name = inspected.Name.replace(/^\//, '');
  const ports = portsOf(NetworkSettings.Ports ?? {}, identity);
  return {
    id: inspected.Id,
    name,
    slot,
    digest,
    generation,
    state,
    ...health,
    ...(!isNameOf(name, owner, slot, digest) && { misnamed: true as const }),
    ...(handEdited !== undefined && { handEdited }),
    ...(startedAt !== undefined && { startedAt }),
    ...(exit && { exit }),
    ...(ports.length > 0 && { ports }),
    owner,
    probes,
    ...(once && { once }),
  };
}

/** How it ended; undefined while it runs, and when it never began. */
export function exitOf(
  { Status, ExitCode, OOMKilled, FinishedAt }: Docker.ContainerInspectInfo['State'],
  log = '',
): InstanceExit | undefined {
  const at = timeOf(FinishedAt);
  if ((Status !== 'exited' && Status !== 'dead') || at === undefined) return undefined;
  return exitFrom(ExitCode, at, OOMKilled, log);
}

/** The same from the parts of it that an event tells. */
export function exitFrom(code: number, at: string, outOfMemory: boolean, log = ''): InstanceExit {
  const signal = signalOf(code);
  return { code, ...(signal && { signal }), ...(outOfMemory && { outOfMemory }), at, ...(code !== 0 && log !== '' && { log }) };
}

/** ISO without the engine's nanoseconds; undefined for its "never". */
export function timeOf(text: string | undefined): string | undefined {
  if (!text || text.startsWith('0001-')) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function signalOf(code: number): string | undefined {
  return code > 128 ? Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0] : undefined;
}

function healthOf(health: Docker.ContainerInspectInfo['State']['Health']): Pick<Seen, 'ready' | 'notReady' | 'unhealthy'> {
  switch (health?.Status) {
    case 'starting':
      return { ready: false, notReady: "its image's health check has not passed yet" };
    case 'unhealthy': {
      const sentence = `its image's health check fails with exit code ${health.Log?.at(-1)?.ExitCode ?? 'unknown'}`;
      return { ready: false, notReady: sentence, unhealthy: sentence };
    }
    default:
      return { ready: true };
  }
}

function portsOf(bindings: Docker.ContainerInspectInfo['NetworkSettings']['Ports'], { portNames }: Identity): InstancePort[] {
  const ports = Object.entries(bindings).flatMap(([key, bound]) => {
    const [container, protocol] = [Number.parseInt(key, 10), key.endsWith('/udp') ? 'udp' : 'tcp'] as const;
    const name = portNames.find((port) => port.container === container && port.protocol === protocol)?.name;
    return (bound ?? []).map(({ HostIp, HostPort }) => ({
      ...(name !== undefined && { name }),
      container,
      host: Number(HostPort),
      address: HostIp,
      protocol,
    }));
  });
  return ports.sort((a, b) => a.container - b.container || a.protocol.localeCompare(b.protocol) || a.host - b.host);
}
