import { setTimeout as sleep } from 'node:timers/promises';
import { strictPolicy } from '../../activities/runtimes/policy.ts';
import { freePort } from '../../src/embedded/ports.ts';
import type { EngineApi } from './engine-api.ts';
import { AT_ONCE, COMMAND, FIRST_IMAGE, GRACE_SECONDS, type Image, type Keeper } from './fleet.ts';

const NS_PER_S = 1e9;
/** A new manager has things to do for itself. */
const COMES_TO_REST_MS = 3_000;

/** The engine's own orchestrator, set to be quick: one manager, no delays, no pulling. */
export class SwarmFleet implements Keeper {
  readonly name = 'swarm';

  constructor(private readonly engine: EngineApi) {}

  /** Fails where swarm mode cannot be had. */
  async enter(): Promise<void> {
    const address = `127.0.0.1:${await freePort()}`;
    await this.engine.ask('POST', '/swarm/init', { ListenAddr: address, AdvertiseAddr: address });
    await sleep(COMES_TO_REST_MS);
  }

  async leave(): Promise<void> {
    await this.engine.ask('POST', '/swarm/leave?force=true');
  }

  async create(group: string, replicas: number): Promise<void> {
    await this.engine.ask('POST', '/services/create', await this.spec(group, replicas, FIRST_IMAGE));
  }

  async remove(group: string): Promise<void> {
    await this.engine.ask('DELETE', `/services/${group}`);
  }

  async update(group: string, replicas: number, image: Image): Promise<void> {
    const { Version } = await this.engine.ask<{ Version: { Index: number } }>('GET', `/services/${group}`);
    await this.engine.ask('POST', `/services/${group}/update?version=${Version.Index}`, await this.spec(group, replicas, image));
  }

  /** An image that is named by its id is never asked for at a registry. */
  private async spec(group: string, replicas: number, image: Image): Promise<object> {
    const { Id } = await this.engine.ask<{ Id: string }>('GET', `/images/${image}/json`);
    const { memoryBytes, pids, logBytes, logFiles } = strictPolicy.defaults;
    return {
      Name: group,
      TaskTemplate: {
        ContainerSpec: {
          Image: Id,
          Args: COMMAND,
          StopSignal: 'SIGTERM',
          StopGracePeriod: GRACE_SECONDS * NS_PER_S,
          CapabilityDrop: ['ALL'],
          Labels: Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`bench.label-${index}`, group])),
        },
        Resources: { Limits: { MemoryBytes: memoryBytes, Pids: pids } },
        RestartPolicy: { Condition: 'any', Delay: 0 },
        LogDriver: { Name: 'json-file', Options: { 'max-size': String(logBytes), 'max-file': String(logFiles) } },
      },
      Mode: { Replicated: { Replicas: replicas } },
      // 0 would be taken for "the default", which is 5 s.
      UpdateConfig: { Parallelism: AT_ONCE, Delay: 0, Order: 'stop-first', FailureAction: 'continue', Monitor: 1 },
    };
  }
}
