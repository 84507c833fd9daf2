import { z } from 'zod';
import type { ReplicasFacts } from './report.ts';

const revision = z.object({ generation: z.int(), digest: z.string(), image: z.string().optional().describe('What the tag stood for') });

/** One replica as it was last seen. */
const instance = z.looseObject({
  name: z.string(),
  id: z.string(),
  node: z.string(),
  slot: z.int(),
  revision: z.string(),
  state: z.string(),
  ready: z.boolean(),
  restarts: z.int(),
  message: z.string().optional(),
});

/** What every kind with replicas says in its status. */
export const replicasFacts = z.looseObject({
  replicas: z.int().describe('Instances there are, of any revision'),
  updatedReplicas: z.int(),
  readyReplicas: z.int(),
  availableReplicas: z.int(),
  unavailableReplicas: z.int(),
  nodes: z.array(z.string()),
  instances: z.array(instance),
  currentRevision: revision.optional().describe('The last one that was reached wholly'),
  targetRevision: revision.optional(),
  rollout: z.looseObject({ state: z.string(), digest: z.string(), message: z.string(), progressedAt: z.string() }).optional(),
  stableGeneration: z.int().optional(),
  nextTryTime: z.string().optional().describe('When what is in the way is tried again'),
});

/** Before anything was made. */
export const NO_REPLICAS: ReplicasFacts = {
  replicas: 0,
  updatedReplicas: 0,
  readyReplicas: 0,
  availableReplicas: 0,
  unavailableReplicas: 0,
  nodes: [],
  instances: [],
};
