import { z } from 'zod';
import { complain, processFields, restartedAt, text } from '../replicas/schema.ts';
import { envName } from '../replicas/schema-env.ts';
import { image } from '../replicas/schema-image.ts';
import { ports, portsOf } from '../replicas/schema-ports.ts';
import { probeClashes, probeFields } from '../replicas/schema-probes.ts';
import { requestsAndLimits } from '../replicas/schema-resources.ts';
import { replicasFacts } from '../replicas/schema-status.ts';
import { strategyTypes } from '../replicas/schema-strategy.ts';

export const MAX_REPLICAS = 1_000;

const shape = z.strictObject({
  replicas: z.int().min(0).max(MAX_REPLICAS).describe('How many'),
  image: image.describe('What they run'),
  strategy: z.enum(strategyTypes).default('RollingUpdate').describe('Recreate stops all old ones before it starts a new one'),
  config: z.record(envName, text).optional().describe('Handed to the instances as their environment'),
  resources: requestsAndLimits.optional(),
  ...processFields,
  ports: ports.optional(),
  ...probeFields,
  restartedAt,
});

export type ApplicationSpec = z.infer<typeof shape>;

export const applicationSpec = shape.superRefine((spec, context) => complain(context, probeClashes(spec, portsOf(spec.ports))));

export const applicationPhases = ['Pending', 'Running', 'Failed', 'Succeeded'] as const;

export const applicationStatus = replicasFacts.extend({ image: z.string() });
