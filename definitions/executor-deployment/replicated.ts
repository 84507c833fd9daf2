import type { Metadata } from '../core/resource.ts';
import { type KubernetesPart, type RuntimeName, runtimeNames, type Template } from '../core/template.ts';
import type { Replicated } from '../replicas/replicated.ts';
import { given, RESTARTED_AT, sorted } from '../replicas/schema.ts';
import { envOf } from '../replicas/schema-env.ts';
import { portsOf } from '../replicas/schema-ports.ts';
import { probesOf } from '../replicas/schema-probes.ts';
import { limitsOf } from '../replicas/schema-resources.ts';
import { restartOf } from '../replicas/schema-restart.ts';
import { strategyOf } from '../replicas/schema-strategy.ts';
import { mountsOf } from '../replicas/schema-volumes.ts';
import type { ExecutorDeploymentSpec } from './schema.ts';

/** The runtime, if it is one that nodes can have. */
export function runtimeOf({ runtime }: ExecutorDeploymentSpec): RuntimeName | undefined {
  return runtimeNames.find((name) => name === runtime);
}

/**
 * What the shared planner wants to know of the spec.
 *
 * Guarantees: total for every accepted spec; what people write in two ways comes out in one; replicas, strategy, placement
 * and labels of the resource leave the template as it is.
 */
export function replicatedOf(spec: ExecutorDeploymentSpec, metadata: Pick<Metadata, 'namespace'>): Replicated {
  return {
    replicas: spec.replicas,
    template: templateOf(spec, metadata),
    strategy: strategyOf(spec.strategy),
    restart: restartOf(spec.restart, spec.restartPolicy ?? spec.config?.restartPolicy),
    paused: spec.paused ?? false,
    nodes: [...new Set(spec.placement?.nodes)],
  };
}

function templateOf(spec: ExecutorDeploymentSpec, metadata: Pick<Metadata, 'namespace'>): Template {
  const { config = {} } = spec;
  const runtime = runtimeOf(spec) ?? 'docker';
  const ports = portsOf(spec.ports ?? config.ports);
  const isProcess = runtime === 'local';
  return {
    runtime,
    ...given({
      image: isProcess ? undefined : (spec.image ?? config.image),
      workingDir: spec.workingDir,
      user: spec.user === undefined ? undefined : String(spec.user),
      network: spec.network ?? config.network,
    }),
    pullPolicy: spec.imagePullPolicy ?? config.imagePullPolicy ?? 'IfNotPresent',
    entrypoint: spec.entrypoint ?? [],
    command: commandOf(spec),
    env: envOf(executorEnv(spec, metadata), config.env, spec.env),
    mounts: mountsOf(spec.volumes ?? config.volumes, spec.volumeMounts ?? config.volumeMounts),
    ports,
    limits: limitsOf(given({ cpus: spec.cpu, memory: spec.memory }), spec.resources, config.resources),
    capabilities: [...new Set(spec.capabilities?.map((name) => name.replace(/^CAP_/, '')))].sort(),
    privileged: spec.privileged ?? false,
    labels: sorted({ ...config.labels, ...given({ [RESTARTED_AT]: spec.restartedAt }) }),
    probes: probesOf(spec, ports),
    stop: { signal: spec.killSignal ?? 'SIGTERM', graceSeconds: spec.terminationGracePeriodSeconds ?? 10 },
    ...(runtime === 'kubernetes' ? { kubernetes: kubernetesOf(spec) } : {}),
  };
}

/** What a cluster is told beside what every runtime is. */
function kubernetesOf({ resources, config = {} }: ExecutorDeploymentSpec): KubernetesPart {
  const places = [resources, config.resources];
  const asked = places.find((one) => one?.requests)?.requests;
  const gpu = places.map((one) => one?.limits?.gpu ?? one?.requests?.gpu).find((count) => count !== undefined);
  const requests = limitsOf({ limits: given({ cpu: asked?.cpu, memory: asked?.memory }) });
  const tolerations = config.tolerations?.map((one) => given(one));
  return given({
    namespace: config.namespace,
    nodeSelector: config.nodeSelector && Object.keys(config.nodeSelector).length > 0 ? sorted(config.nodeSelector) : undefined,
    tolerations: tolerations && tolerations.length > 0 ? tolerations : undefined,
    requests: Object.keys(requests).length > 0 ? requests : undefined,
    gpu: gpu || undefined,
  });
}

/** A process for which no command was written only waits, as in the document that this kind comes from. */
function commandOf({ runtime, entrypoint = [], command = [], args = [] }: ExecutorDeploymentSpec): readonly string[] {
  const isNothing = entrypoint.length + command.length + args.length === 0;
  return runtime === 'local' && isNothing ? PLACEHOLDER : [...command, ...args];
}

const PLACEHOLDER = ['sleep', 'infinity'];

/** What an executor must know to register; what people write themselves wins. */
function executorEnv(
  { executorType, executorName, executorNames, template }: ExecutorDeploymentSpec,
  { namespace }: Pick<Metadata, 'namespace'>,
): Record<string, string> {
  return given({
    COLONIES_EXECUTOR_TYPE: executorType ?? template?.type,
    COLONIES_COLONY_NAME: namespace,
    COLONIES_EXECUTOR_NAME: executorName,
    COLONIES_EXECUTOR_NAMES: executorNames && executorNames.length > 0 ? executorNames.join(',') : undefined,
  }) as Record<string, string>;
}
