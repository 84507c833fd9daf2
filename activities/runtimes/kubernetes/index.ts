import type { NodePolicy } from '../policy.ts';
import { Problem, type Runtime } from '../runtime.ts';
import { Cluster } from './cluster.ts';
import { Converger } from './converge.ts';
import { unknown } from './errors.ts';
import { execIn } from './exec.ts';
import { logsOf } from './logs.ts';
import { Pods } from './pods.ts';
import { statsOf } from './stats.ts';
import { type Pings, usualPings, watchPods } from './watch.ts';

export interface KubernetesRuntimeOptions {
  /** Path of a kubeconfig, or several as in KUBECONFIG. */
  readonly kubeConfig: string;
  readonly node: string;
  /** Id of the Temporal namespace: what belongs to another one is a stranger's. */
  readonly cluster: string;
  readonly policy: NodePolicy;
  readonly pings?: Pings;
}

/**
 * Runs instances as pods of one Deployment per resource, in a Kubernetes cluster that replaces, heals and scales them by itself.
 *
 * Needs the right to get, list, create, patch and delete deployments and to list and watch pods, in all namespaces; for people who
 * look into them also to get pods/log, to create and get pods/exec, and to list pods of metrics.k8s.io.
 */
export function createKubernetesRuntime({ kubeConfig, node, cluster, policy, pings = usualPings }: KubernetesRuntimeOptions): Runtime {
  const pods = new Pods(new Cluster(kubeConfig), { cluster, node });
  const converger = new Converger(pods, policy);
  const byItself = async (): Promise<never> => {
    throw new Problem('StartFailed', 'Kubernetes does this by itself');
  };
  return {
    name: 'kubernetes',
    list: (uid) => pods.see(uid),
    converge: (owner, wish, signal) => converger.converge(owner, wish, signal),
    ensure: byItself,
    resolveImage: byItself,
    probe: byItself,

    async restart(uid, id) {
      const mine = (await pods.list(uid)).pods.find(({ metadata }) => metadata?.uid === id);
      const { name, namespace } = mine?.metadata ?? {};
      if (!name || !namespace) return;
      try {
        await pods.cluster.find(({ core }) => core.deleteNamespacedPod({ name, namespace, body: { preconditions: { uid: id } } }));
      } catch (error) {
        throw unknown(error);
      }
    },

    // One pod alone would come back: whoever wants it gone wants nothing of its owner here.
    async remove(uid, id) {
      const isThere = (await pods.list(uid)).pods.some(({ metadata }) => metadata?.uid === id);
      if (isThere) await converger.removeAll(uid, new AbortController().signal);
    },

    logs: (id, options) => logsOf(pods, id, options),
    exec: (id, request) => execIn(pods, id, request),
    stats: (ids) => statsOf(pods, ids),
    watch: (onReady, onChange, signal) => watchPods(pods, pings, onReady, onChange, signal),
  };
}
