import type { Usage } from '../runtime.ts';
import { isStatus, unknown } from './errors.ts';
import { selectorOf } from './labels.ts';
import { CONTAINER } from './pod-spec.ts';
import type { Pods } from './pods.ts';

interface PodMetrics {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly containers: readonly { readonly name: string; readonly usage: { readonly cpu: string; readonly memory: string } }[];
}

const TIMEOUT_MS = 10_000;

/** What pods use now; nothing when the cluster does not measure it. */
export async function statsOf(pods: Pods, ids: readonly string[]): Promise<Usage[]> {
  const wanted = (await pods.list()).pods.filter(({ metadata }) => ids.includes(metadata?.uid ?? ''));
  const measured = await metricsOf(pods);
  return wanted.flatMap(({ metadata, spec }) => {
    const found = measured.find((one) => one.metadata.name === metadata?.name && one.metadata.namespace === metadata.namespace);
    const usage = found?.containers.find(({ name }) => name === CONTAINER)?.usage;
    if (!usage || !metadata?.uid) return [];
    const limit = spec?.containers.find(({ name }) => name === CONTAINER)?.resources?.limits?.memory;
    return [
      {
        id: metadata.uid,
        cpus: amountOf(usage.cpu),
        memoryBytes: amountOf(usage.memory),
        ...(limit === undefined ? {} : { memoryLimitBytes: amountOf(limit) }),
      },
    ];
  });
}

async function metricsOf({ cluster, scope }: Pods): Promise<readonly PodMetrics[]> {
  try {
    const query = { labelSelector: selectorOf(scope) };
    const answer = await cluster.open('/apis/metrics.k8s.io/v1beta1/pods', query, AbortSignal.timeout(TIMEOUT_MS));
    const chunks: Buffer[] = [];
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
    return (JSON.parse(Buffer.concat(chunks).toString('utf8')) as { items: PodMetrics[] }).items;
  } catch (error) {
    if (isStatus(error, 403, 404, 503)) return [];
    throw unknown(error);
  }
}

const UNITS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
};

/** A quantity of Kubernetes, such as `12500n` or `64Mi`. */
export function amountOf(quantity: string): number {
  const [, amount = '0', unit = ''] = /^([\d.]+)([a-zA-Z]*)$/.exec(quantity) ?? [];
  return Number(amount) * (UNITS[unit] ?? 1);
}
