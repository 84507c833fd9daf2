import { quote } from '../core/quote.ts';
import type { Clash } from '../replicas/schema.ts';
import { portsOf } from '../replicas/schema-ports.ts';
import { probeClashes } from '../replicas/schema-probes.ts';
import { restartClashes } from '../replicas/schema-restart.ts';
import { mountClashes } from '../replicas/schema-volumes.ts';
import { localClashes } from './local-clashes.ts';
import type { ExecutorDeploymentSpec } from './schema.ts';

/** What does not fit together although each field fits by itself. */
export function clashesOf(spec: ExecutorDeploymentSpec): Clash[] {
  const { config, ports = config?.ports, restart, restartPolicy } = spec;
  return [
    ...imageClashes(spec),
    ...mountClashesOf(spec),
    ...probeClashes(spec, portsOf(ports)),
    ...restartClashes(restartPolicy, restart, ['restartPolicy']),
    ...(restartPolicy === undefined ? restartClashes(config?.restartPolicy, restart, ['config', 'restartPolicy']) : []),
    ...kubernetesOnly(spec),
    ...localClashes(spec),
  ];
}

function imageClashes({ runtime, image, config }: ExecutorDeploymentSpec): Clash[] {
  if (image !== undefined && config?.image !== undefined && image !== config.image) {
    return [{ path: ['config', 'image'], message: `must be the same as spec.image, ${image}, or left out (got ${quote(config.image)})` }];
  }
  return runtime === 'docker' && image === undefined && config?.image === undefined
    ? [{ path: ['image'], message: `is required when runtime is ${runtime}` }]
    : [];
}

function mountClashesOf({ volumes, volumeMounts, config }: ExecutorDeploymentSpec): Clash[] {
  return mountClashes(volumes ?? config?.volumes ?? [], volumeMounts ?? config?.volumeMounts ?? [], {
    volumes: volumes ? ['volumes'] : ['config', 'volumes'],
    mounts: volumeMounts ? ['volumeMounts'] : ['config', 'volumeMounts'],
  });
}

/** What the others would have to leave undone is refused instead. */
function kubernetesOnly({ runtime, resources, config }: ExecutorDeploymentSpec): Clash[] {
  if (runtime !== 'docker' && runtime !== 'local') return [];
  const message = `is only for runtime kubernetes (runtime is ${runtime})`;
  const fields = (['namespace', 'nodeSelector', 'tolerations'] as const).filter((field) => config?.[field] !== undefined);
  const gpus = [
    { at: ['resources'], given: resources },
    { at: ['config', 'resources'], given: config?.resources },
  ].flatMap(({ at, given }) =>
    (['requests', 'limits'] as const).filter((part) => (given?.[part]?.gpu ?? 0) > 0).map((part) => [...at, part, 'gpu']),
  );
  return [...fields.map((field) => ({ path: ['config', field], message })), ...gpus.map((path) => ({ path, message }))];
}
