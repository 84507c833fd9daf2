import { AT_ONCE, COMMAND, GRACE_SECONDS, type Image } from './fleet.ts';

export const NAMESPACE = 'default';

/** The manifest that ours is given. */
export function deployment(name: string, replicas: number, image: Image) {
  return {
    metadata: { name, namespace: NAMESPACE },
    spec: {
      runtime: 'docker' as const,
      replicas,
      image,
      command: COMMAND,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      strategy: { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge: 0, maxUnavailable: AT_ONCE } },
    },
  };
}

export const deploymentId = (name: string): string => `executordeployments.compute.colonies.io/${NAMESPACE}/${name}`;
