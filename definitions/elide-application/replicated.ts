import { defaultRestart, defaultStrategy, type Replicated } from '../replicas/replicated.ts';
import { given, RESTARTED_AT } from '../replicas/schema.ts';
import { envOf } from '../replicas/schema-env.ts';
import { portsOf } from '../replicas/schema-ports.ts';
import { probesOf } from '../replicas/schema-probes.ts';
import { limitsOf } from '../replicas/schema-resources.ts';
import type { ApplicationSpec } from './schema.ts';

/** What the shared planner wants to know of the spec; total for every accepted one. */
export function replicatedOf(spec: ApplicationSpec): Replicated {
  const ports = portsOf(spec.ports);
  return {
    replicas: spec.replicas,
    template: {
      runtime: 'docker',
      image: spec.image,
      pullPolicy: 'IfNotPresent',
      entrypoint: spec.entrypoint ?? [],
      command: [...(spec.command ?? []), ...(spec.args ?? [])],
      env: envOf(spec.config),
      mounts: [],
      ports,
      limits: limitsOf(spec.resources),
      capabilities: [],
      privileged: false,
      labels: given({ [RESTARTED_AT]: spec.restartedAt }) as Record<string, string>,
      probes: probesOf(spec, ports),
      stop: { signal: 'SIGTERM', graceSeconds: 10 },
    },
    strategy: { ...defaultStrategy, type: spec.strategy },
    restart: defaultRestart,
    paused: false,
    nodes: [],
  };
}
