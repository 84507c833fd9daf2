import type { V1Container, V1PodSpec, V1Probe, V1ResourceRequirements, V1SecurityContext, V1Volume } from '@kubernetes/client-node';
import type { Limits, Mount, Probe, Template } from '../../../definitions/core/template.ts';
import { capabilityName } from '../docker/create-body.ts';

/** The container that is ours; others may be put beside it by the cluster. */
export const CONTAINER = 'main';

const GPU = 'nvidia.com/gpu';

/** The pod of a template: no rights beyond those that the node allows, and no token of the cluster. */
export function podSpecOf(template: Template, resource: string): V1PodSpec {
  const { kubernetes = {}, stop, mounts } = template;
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: stop.graceSeconds,
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    ...(kubernetes.nodeSelector ? { nodeSelector: { ...kubernetes.nodeSelector } } : {}),
    ...(kubernetes.tolerations ? { tolerations: kubernetes.tolerations.map((one) => ({ ...one })) } : {}),
    ...(mounts.length > 0 ? { volumes: mounts.map(volumeOf) } : {}),
    containers: [containerOf(template, resource)],
  };
}

function containerOf(template: Template, resource: string): V1Container {
  const { image = '', pullPolicy, entrypoint, command, workingDir, ports, probes, mounts } = template;
  const { COLONY_INSTANCE: _instance, COLONY_RESOURCE: _resource, ...env } = template.env;
  const { startup, readiness, liveness } = probes;
  return {
    name: CONTAINER,
    image,
    imagePullPolicy: pullPolicy,
    ...(entrypoint.length > 0 ? { command: entrypoint.map(literal) } : {}),
    ...(command.length > 0 ? { args: command.map(literal) } : {}),
    ...(workingDir === undefined ? {} : { workingDir }),
    env: [
      ...Object.entries(env).map(([name, value]) => ({ name, value: literal(value) })),
      { name: 'COLONY_INSTANCE', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'COLONY_RESOURCE', value: resource },
    ],
    ports: ports.map(({ container, protocol }) => ({ containerPort: container, protocol: protocol.toUpperCase() })),
    resources: resourcesOf(template),
    securityContext: securityOf(template),
    ...probeOf('startupProbe', startup),
    ...probeOf('readinessProbe', readiness),
    ...probeOf('livenessProbe', liveness),
    ...(mounts.length > 0
      ? { volumeMounts: mounts.map(({ target, readOnly }, index) => ({ name: volumeName(index), mountPath: target, readOnly })) }
      : {}),
    // The last lines of one that failed are then part of its status.
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

/** Kubernetes would put something else in place of `$(NAME)` and `$$`. */
const literal = (value: string): string => value.replace(/\$(?=[$(])/g, '$$$$');

function resourcesOf({ limits, kubernetes: { requests = {}, gpu } = {} }: Template): V1ResourceRequirements {
  const gpus = gpu ? { [GPU]: String(gpu) } : {};
  return { limits: { ...amounts(limits), ...gpus }, requests: { ...amounts(requests), ...gpus } };
}

function amounts({ cpus, memoryBytes }: Limits): Record<string, string> {
  return {
    ...(cpus === undefined ? {} : { cpu: `${Math.max(1, Math.round(cpus * 1000))}m` }),
    ...(memoryBytes === undefined ? {} : { memory: String(memoryBytes) }),
  };
}

function securityOf({ privileged, capabilities, user }: Template): V1SecurityContext {
  const [uid, gid] = user?.split(':') ?? [];
  const added = capabilities.map(capabilityName);
  return {
    privileged,
    // What Kubernetes refuses to deny beside these.
    allowPrivilegeEscalation: privileged || added.includes('SYS_ADMIN'),
    capabilities: { drop: ['ALL'], ...(added.length > 0 ? { add: added } : {}) },
    ...(uid === undefined ? {} : { runAsUser: Number(uid) }),
    ...(gid === undefined ? {} : { runAsGroup: Number(gid) }),
  };
}

function volumeOf({ type, source }: Mount, index: number): V1Volume {
  const name = volumeName(index);
  if (type === 'memory') return { name, emptyDir: {} };
  return type === 'path' ? { name, hostPath: { path: source } } : { name, persistentVolumeClaim: { claimName: source } };
}

const volumeName = (index: number): string => `volume-${index}`;

/** None for a task queue: that is nothing a kubelet can ask. */
function probeOf(field: 'startupProbe' | 'readinessProbe' | 'livenessProbe', probe: Probe | undefined): { [field: string]: V1Probe } {
  const handler = probe && handlerOf(probe);
  if (!probe || !handler) return {};
  return {
    [field]: {
      ...handler,
      initialDelaySeconds: probe.initialDelaySeconds,
      periodSeconds: whole(probe.periodSeconds),
      timeoutSeconds: whole(probe.timeoutSeconds),
      // Kubernetes takes no other number for these two.
      successThreshold: field === 'readinessProbe' ? probe.successThreshold : 1,
      failureThreshold: probe.failureThreshold,
    },
  };
}

const whole = (seconds: number): number => Math.max(1, Math.ceil(seconds));

function handlerOf({ check }: Probe): V1Probe | undefined {
  switch (check.type) {
    case 'exec':
      return { exec: { command: [...check.command] } };
    case 'http': {
      const httpHeaders = Object.entries(check.headers).map(([name, value]) => ({ name, value }));
      const headers = httpHeaders.length > 0 ? { httpHeaders } : {};
      return { httpGet: { port: check.port, path: check.path, scheme: check.scheme.toUpperCase(), ...headers } };
    }
    case 'tcp':
      return { tcpSocket: { port: check.port } };
    case 'taskQueue':
      return undefined;
  }
}
