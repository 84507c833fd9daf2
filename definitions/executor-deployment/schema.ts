import { z } from 'zod';
import { runtimeNames } from '../core/template.ts';
import { absolutePath, complain, processFields, pullPolicies, restartedAt, stopFields, text } from '../replicas/schema.ts';
import { env, instanceLabels } from '../replicas/schema-env.ts';
import { image } from '../replicas/schema-image.ts';
import { ports } from '../replicas/schema-ports.ts';
import { probeFields } from '../replicas/schema-probes.ts';
import { cpus, memory, resources } from '../replicas/schema-resources.ts';
import { restart, restartPolicy } from '../replicas/schema-restart.ts';
import { replicasFacts } from '../replicas/schema-status.ts';
import { strategy } from '../replicas/schema-strategy.ts';
import { volumeMounts, volumes } from '../replicas/schema-volumes.ts';
import { clashesOf } from './clashes.ts';

/** Runtimes that people name and that nobody here has; such a resource waits until it names another. */
export const foreignRuntimes = ['hpc', 'lambda', 'custom'] as const;

export const MAX_REPLICAS = 1_000;

/** What may stand in the spec or in its `config`; where both have it, the spec wins. */
const eitherPlace = {
  image: image.optional().describe('What docker and kubernetes run; a process has none'),
  imagePullPolicy: z.enum(pullPolicies).optional().describe('IfNotPresent'),
  env: env.optional().describe('A map, or a list of name and value; merged by name'),
  volumes: volumes.optional(),
  volumeMounts: volumeMounts.optional().describe('Where named volumes are in the instance'),
  ports: ports.optional(),
  network: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/)
    .optional(),
  resources: resources.optional(),
  restartPolicy: restartPolicy.optional().describe('What becomes of an instance that has ended; Always'),
};

const toleration = z.strictObject({
  key: z.string().optional(),
  operator: z.enum(['Equal', 'Exists']).optional(),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: z.int().optional(),
});

const config = z.strictObject({
  ...eitherPlace,
  labels: instanceLabels.optional().describe('Of the instances themselves'),
  namespace: z.string().min(1).max(63).optional().describe('Of the cluster; kubernetes only'),
  nodeSelector: z.record(z.string(), z.string()).optional().describe('kubernetes only'),
  tolerations: z.array(toleration).optional().describe('kubernetes only'),
});

/** Free-form: what the executors are and can do. Only the type is handed to them. */
const template = z.looseObject({ type: z.string().min(1).max(253).optional().describe('The executor type, unless executorType says it') });

const executorName = text.min(1).max(253);

const shape = z.strictObject({
  runtime: z
    .enum([...runtimeNames, ...foreignRuntimes])
    .default('docker')
    .describe('Where the executors run'),
  replicas: z.int().min(0).max(MAX_REPLICAS).default(1).describe('How many'),
  executorType: z.string().min(1).max(253).optional().describe('Handed to the executors as COLONIES_EXECUTOR_TYPE'),
  executorName: executorName.optional().describe('Handed to them as COLONIES_EXECUTOR_NAME'),
  executorNames: z.array(executorName).max(MAX_REPLICAS).optional().describe('Handed to them as COLONIES_EXECUTOR_NAMES, with commas'),
  template: template.optional().describe('What the executors are and can do, in any words'),
  ...eitherPlace,
  cpu: cpus.optional().describe('Cores at most: "500m"'),
  memory: memory.optional().describe('Bytes at most: "512Mi"'),
  ...processFields,
  workingDir: absolutePath.optional(),
  user: z
    .union([z.int().min(0), text.min(1).max(253)])
    .optional()
    .describe('1000, "1000:1000", or a name that the image knows'),
  privileged: z.boolean().optional().describe('If the node allows it'),
  capabilities: z
    .array(z.string().regex(/^(CAP_)?[A-Z][A-Z0-9_]{1,40}$/))
    .max(64)
    .optional()
    .describe('Beyond none, if the node allows them'),
  ...probeFields,
  strategy: strategy.optional().describe('How a new revision takes over'),
  restart: restart.optional(),
  ...stopFields,
  placement: z
    .strictObject({ nodes: z.array(z.string().min(1).max(253)).max(1_000).describe('In turn') })
    .optional()
    .describe('Where; wherever it is put first, if it is left out'),
  paused: z.boolean().optional().describe('Nothing new takes over meanwhile'),
  restartedAt,
  config: config.optional().describe('The same fields as ColonyOS writes them'),
});

export type ExecutorDeploymentSpec = z.infer<typeof shape>;

export const executorDeploymentSpec = shape.superRefine((spec, context) => complain(context, clashesOf(spec)));

export const executorDeploymentStatus = replicasFacts.extend({
  ready: z.int(),
  available: z.int(),
  unavailable: z.int(),
  replicasReady: z.string().describe('ready of wished, such as 2/3'),
  image: z.string().optional(),
  deployedExecutors: z.array(z.string()).describe('Ids of the instances'),
  lastUpdateTime: z.string().optional().describe('When an instance last started, ended or got ready'),
  message: z.string().optional().describe('Why it is not as it should be'),
});

export type ExecutorDeploymentStatus = z.infer<typeof executorDeploymentStatus>;
