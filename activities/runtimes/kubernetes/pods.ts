import type { V1Pod } from '@kubernetes/client-node';
import type { Seen } from '../runtime.ts';
import type { Cluster } from './cluster.ts';
import { unknown } from './errors.ts';
import { identityOf, type Scope, selectorOf } from './labels.ts';
import { seenOf } from './seen.ts';

export interface Listing {
  readonly pods: readonly V1Pod[];
  /** From which on a watch tells what has changed. */
  readonly version: string;
}

/** Our pods, in whatever namespace they are. */
export class Pods {
  constructor(
    readonly cluster: Cluster,
    readonly scope: Scope,
  ) {}

  /** All of them, also those that are going away. Throws Unreachable when they cannot be known. */
  async list(uid?: string): Promise<Listing> {
    try {
      const labelSelector = selectorOf(this.scope, uid);
      const { items, metadata } = await this.cluster.call(({ core }) => core.listPodForAllNamespaces({ labelSelector }));
      return { pods: items, version: metadata?.resourceVersion ?? '' };
    } catch (error) {
      throw unknown(error);
    }
  }

  async see(uid?: string): Promise<Seen[]> {
    return seenOf((await this.list(uid)).pods, this.scope);
  }

  /** Where a pod of ours is; for those who know its id only. */
  async find(id: string): Promise<{ readonly namespace: string; readonly name: string }> {
    const { pods } = await this.list();
    const found = pods.find((pod) => pod.metadata?.uid === id && identityOf(pod, this.scope) !== undefined);
    if (!found?.metadata?.name || !found.metadata.namespace) throw new Error('there is no such instance on this node');
    return { namespace: found.metadata.namespace, name: found.metadata.name };
  }

  /** Asks for as little as possible, to hear whether the cluster still answers. */
  async ping(): Promise<void> {
    await this.cluster.call(({ core }) => core.listPodForAllNamespaces({ labelSelector: selectorOf(this.scope), limit: 1 }));
  }
}
