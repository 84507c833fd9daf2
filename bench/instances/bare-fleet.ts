import { randomUUID } from 'node:crypto';
import { createBody } from '../../activities/runtimes/docker/create-body.ts';
import { containerName } from '../../activities/runtimes/docker/names.ts';
import { strictPolicy } from '../../activities/runtimes/policy.ts';
import { digestOf } from '../../definitions/core/digest.ts';
import { replicatedOf } from '../../definitions/executor-deployment/replicated.ts';
import { executorDeploymentSpec } from '../../definitions/executor-deployment/schema.ts';
import { inFlight } from '../stage/in-flight.ts';
import { deployment, deploymentId, NAMESPACE } from './deployment.ts';
import type { EngineApi } from './engine-api.ts';
import { FIRST_IMAGE, type Fleet, GRACE_SECONDS } from './fleet.ts';

/** More only adds latency. */
const WIDTH = 8;

/** The engine's API and nothing else: the least that anybody can need. Its containers are made of the body that ours sends. */
export class BareFleet implements Fleet {
  readonly name = 'bare';
  private readonly ids = new Map<string, string[]>();

  constructor(private readonly engine: EngineApi) {}

  async enter(): Promise<void> {}
  async leave(): Promise<void> {}

  async create(group: string, replicas: number): Promise<void> {
    const owner = { uid: randomUUID(), resource: deploymentId(group), name: group };
    const spec = executorDeploymentSpec.parse(deployment(group, replicas, FIRST_IMAGE).spec);
    const { template } = replicatedOf(spec, { namespace: NAMESPACE });
    const { Id: ref } = await this.engine.ask<{ Id: string }>('GET', `/images/${FIRST_IMAGE}/json`);
    const revision = { digest: digestOf([template, ref]), generation: 1, template, image: { ref } };
    const ids: string[] = [];
    this.ids.set(group, ids);
    await inFlight(replicas, WIDTH, async (slot) => {
      const name = containerName(owner, slot, revision.digest);
      const body = createBody(name, ref, { owner, revision, slot }, { cluster: 'bare', node: 'bare' }, strictPolicy);
      const { Id } = await this.engine.ask<{ Id: string }>('POST', `/containers/create?name=${name}`, body);
      ids.push(Id);
      await this.engine.ask('POST', `/containers/${Id}/start`);
    });
  }

  async remove(group: string): Promise<void> {
    const ids = this.ids.get(group) ?? [];
    await inFlight(ids.length, WIDTH, async (index) => {
      await this.engine.ask('POST', `/containers/${ids[index]}/stop?t=${GRACE_SECONDS}`);
      await this.engine.ask('DELETE', `/containers/${ids[index]}?v=true`);
    });
  }
}
