import { executorDeployment } from '../../definitions/executor-deployment/index.ts';
import { type Colony, connect } from '../../src/client/index.ts';
import type { Child } from '../stage/child.ts';
import type { Stage } from '../stage/stage.ts';
import { deployment, NAMESPACE } from './deployment.ts';
import { FIRST_IMAGE, type Image, type Keeper } from './fleet.ts';

/** Colony as `colony up` runs it: a worker and the node's agent, each a process of its own; spoken to through the typed client. */
export class ColonyFleet implements Keeper {
  readonly name = 'ours';

  private constructor(
    private readonly colony: Colony,
    private readonly worker: Child,
    private readonly agent: Child,
  ) {}

  static async start(stage: Stage, dockerHost: string): Promise<ColonyFleet> {
    const env = { DOCKER_HOST: dockerHost, COLONY_NODE: 'bench', COLONY_ALLOW_LOCAL: 'true' };
    const [worker, agent] = await Promise.all([
      stage.start('processes/colony-worker', { env }),
      stage.start('processes/colony-node', { env }),
    ]);
    const { address } = stage;
    return new ColonyFleet(await connect({ address, temporalNamespace: 'default', actor: 'bench', timeoutMs: 60_000 }), worker, agent);
  }

  get pids(): Readonly<Record<'worker' | 'agent', number>> {
    return { worker: this.worker.pid, agent: this.agent.pid };
  }

  async enter(): Promise<void> {}
  async leave(): Promise<void> {}

  async create(group: string, replicas: number): Promise<void> {
    await this.update(group, replicas, FIRST_IMAGE);
  }

  async update(group: string, replicas: number, image: Image): Promise<void> {
    await this.colony.kind(executorDeployment).apply(deployment(group, replicas, image));
  }

  async remove(group: string): Promise<void> {
    await this.colony.kind(executorDeployment).delete({ name: group, namespace: NAMESPACE }, { wait: false });
  }

  close(): Promise<void> {
    return this.colony.close();
  }
}
