import { given } from '../replicas/schema.ts';
import type { ExecutorDeploymentSpec } from './schema.ts';

/** An earlier spec, with all that no template is made of as it is now. */
export function keeping(current: ExecutorDeploymentSpec, earlier: ExecutorDeploymentSpec): ExecutorDeploymentSpec {
  const { runtime, replicas, strategy, restart, restartPolicy, paused, placement } = current;
  const config = given({ ...earlier.config, restartPolicy: current.config?.restartPolicy });
  const kept = { strategy, restart, restartPolicy, paused, placement, config: Object.keys(config).length > 0 ? config : undefined };
  return { ...given({ ...earlier, ...kept }), runtime, replicas };
}
