import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import Docker from 'dockerode';
import { createInstanceActivities } from '../../activities/instances/index.ts';
import { Warden } from '../../activities/instances/warden.ts';
import { createDockerRuntime } from '../../activities/runtimes/docker/index.ts';
import { createKubernetesRuntime } from '../../activities/runtimes/kubernetes/index.ts';
import { createLocalRuntime } from '../../activities/runtimes/local/local-runtime.ts';
import { type NodePolicy, strictPolicy } from '../../activities/runtimes/policy.ts';
import type { Runtime } from '../../activities/runtimes/runtime.ts';
import { FileStore } from '../../activities/secrets/file-store.ts';
import { Revealer } from '../../activities/secrets/revealer.ts';
import type { RuntimeName } from '../../definitions/core/template.ts';
import type { Config } from '../config.ts';
import { placeNodeDoor, serveNodeDoor } from './door/index.ts';
import type { Logger } from './log.ts';
import { Leftovers } from './observer/leftovers.ts';
import { Observer, type ObserverOptions } from './observer/observer.ts';
import { askForResidents } from './observer/residents.ts';

/**
 * Everything that runs on this machine for colony: its runtimes, who works on them, and who watches them.
 *
 * Made once per process and kept when Temporal goes away and comes back, so that work on one owner stays one at a time.
 */
export class Agent {
  private warden: Warden | undefined;
  private readonly doors: { close(): Promise<void> }[] = [];
  private client: Client | undefined;
  private readonly revealer: Revealer;

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
  ) {
    this.revealer = new Revealer(new FileStore(config.secretsDir));
  }

  /** The activities of this node. The installation it belongs to is known only to Temporal, so it is asked once. */
  async activities(connection: NativeConnection): Promise<object> {
    const { temporalNamespace: namespace, node } = this.config;
    this.client = new Client({ connection, namespace });
    if (!this.warden) {
      const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace });
      const runtimes = this.runtimes(namespaceInfo?.id ?? namespace);
      this.warden = new Warden({ node, runtimes, pollersOf: (queue) => this.pollersOf(queue) });
      await this.openDoor(runtimes);
    }
    return createInstanceActivities(this.warden, this.revealer);
  }

  /** Watches all runtimes until the signal. */
  async observe(connection: NativeConnection, signal: AbortSignal, rhythm: Pick<ObserverOptions, 'sweepMs'> = {}): Promise<void> {
    const { warden, log } = this;
    if (!warden) return;
    const client = new Client({ connection, namespace: this.config.temporalNamespace });
    const residents = askForResidents(client, warden.node);
    const observers = [...warden.runtimes.values()].map((runtime) => new Observer({ client, warden, runtime, log, residents, ...rhythm }));
    const leftovers = new Leftovers({ client, runtimes: [...warden.runtimes.values()], log, ...rhythm });
    await Promise.all([...observers, leftovers].map((each) => each.run(signal)));
  }

  async end(): Promise<void> {
    this.warden?.end();
    await Promise.all(this.doors.map((door) => door.close()));
  }

  /** Without a door nobody can look inside, but everything runs. */
  private async openDoor(runtimes: ReadonlyMap<RuntimeName, Runtime>): Promise<void> {
    const { config, log } = this;
    try {
      this.doors.push(await serveNodeDoor({ path: placeNodeDoor(config.home, config.node), runtimes, log }));
    } catch (error) {
      log.error({ reason: (error as Error).message }, 'logs, exec and top do not work');
    }
  }

  private runtimes(cluster: string): ReadonlyMap<RuntimeName, Runtime> {
    const { config, log, revealer } = this;
    const { node } = config;
    const policy = policyOf(config);
    const runtimes: Runtime[] = [createDockerRuntime({ docker: new Docker(), node, cluster, policy, revealer })];
    if (config.allowLocal) runtimes.push(createLocalRuntime({ folder: join(config.home, 'instances'), node, cluster, policy, revealer }));
    const { kubeconfig: kubeConfig } = config;
    // Never the cluster that this process may happen to run in: somebody must have said so.
    if (kubeConfig !== undefined) runtimes.push(createKubernetesRuntime({ kubeConfig, node, cluster, policy }));
    log.info({ runtimes: runtimes.map(({ name }) => name), cluster }, 'runtimes');
    return new Map(runtimes.map((runtime) => [runtime.name, runtime]));
  }

  private async pollersOf(queue: string): Promise<readonly string[]> {
    const { client } = this;
    if (!client) return [];
    const request = { namespace: this.config.temporalNamespace, taskQueue: { name: queue } };
    const answers = await Promise.all(
      [WORKFLOW_QUEUE, ACTIVITY_QUEUE].map((taskQueueType) => client.workflowService.describeTaskQueue({ ...request, taskQueueType })),
    );
    return answers.flatMap(({ pollers }) => (pollers ?? []).flatMap(({ identity }) => identity ?? []));
  }
}

/** Of temporal.api.enums.v1.TaskQueueType. */
const [WORKFLOW_QUEUE, ACTIVITY_QUEUE] = [1, 2] as const;

function policyOf({ allowLocal, hostPaths, capabilities, allowPrivileged, portAddress }: Config): NodePolicy {
  return { ...strictPolicy, allowLocal, hostPaths, capabilities, allowPrivileged, portAddress };
}
