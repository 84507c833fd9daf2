import { defineKind, type Effect } from '../core/kind.ts';
import type { View } from '../core/plan.ts';
import { quote } from '../core/quote.ts';
import { replicasCommands } from '../replicas/commands.ts';
import { undoCommand } from '../replicas/undo.ts';
import { keeping } from './keeping.ts';
import { plan } from './plan.ts';
import { replicatedOf, runtimeOf } from './replicated.ts';
import { type ExecutorDeploymentSpec, executorDeploymentSpec, executorDeploymentStatus, MAX_REPLICAS } from './schema.ts';

/** Executors that are kept running: so many, of this image or command, in containers or as processes. */
export const executorDeployment = defineKind({
  group: 'compute.colonies.io',
  version: 'v1',
  names: {
    kind: 'ExecutorDeployment',
    listKind: 'ExecutorDeploymentList',
    singular: 'executordeployment',
    plural: 'executordeployments',
    shortNames: ['execdeploy', 'ed'],
  },
  scope: 'Namespaced',
  description: 'Executors that are kept running, in containers or as processes',
  spec: executorDeploymentSpec,
  status: executorDeploymentStatus,
  admit: (next, view) => fixedRuntime(next, view),
  plan,
  commands: { ...replicasCommands<ExecutorDeploymentSpec>(MAX_REPLICAS), undo: undoCommand({ replicatedOf, keeping }) },
  columns: [
    { name: 'Ready', jsonPath: '.status.replicasReady', type: 'string' },
    { name: 'Up-To-Date', jsonPath: '.status.updatedReplicas', type: 'integer' },
    { name: 'Available', jsonPath: '.status.available', type: 'integer' },
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
    { name: 'Image', jsonPath: '.status.image', type: 'string' },
    { name: 'Runtime', jsonPath: '.spec.runtime', type: 'string', priority: 1 },
    { name: 'Type', jsonPath: '.spec.executorType', type: 'string', priority: 1 },
    { name: 'Nodes', jsonPath: '.status.nodes', type: 'string', priority: 1 },
  ],
  hasCleanUp: true,
});

/** What one runtime has started, another cannot stop; a runtime that nobody has may be corrected. */
function fixedRuntime({ runtime }: ExecutorDeploymentSpec, view: View<ExecutorDeploymentSpec> | undefined): Effect<ExecutorDeploymentSpec> {
  if (!view || runtime === view.spec.runtime || runtimeOf(view.spec) === undefined) return {};
  const message = `cannot be changed: it is ${view.spec.runtime} (got ${quote(runtime)}); make another resource, then delete this one`;
  return { issues: [{ path: 'spec.runtime', message }] };
}
