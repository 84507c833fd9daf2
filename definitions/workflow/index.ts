import { defineKind } from '../core/kind.ts';
import { commands } from './commands.ts';
import { plan } from './plan.ts';
import { workflowSpec, workflowStatus } from './schema.ts';

/** Steps that depend on each other, run when somebody asks for it or by a schedule; each run is a resource of its own. */
export const workflow = defineKind({
  group: 'automation.colonies.io',
  version: 'v1',
  names: { kind: 'Workflow', listKind: 'WorkflowList', singular: 'workflow', plural: 'workflows', shortNames: ['wf'] },
  scope: 'Namespaced',
  description: 'Steps that depend on each other, run on request or by a schedule',
  spec: workflowSpec,
  status: workflowStatus,
  plan,
  commands,
  columns: [
    { name: 'Schedule', jsonPath: '.status.schedule', type: 'string' },
    { name: 'Suspend', jsonPath: '.spec.suspend', type: 'boolean' },
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
    { name: 'Last-Run', jsonPath: '.status.lastRun', type: 'date' },
    { name: 'Next-Run', jsonPath: '.status.nextRun', type: 'string' },
    { name: 'Steps', jsonPath: '.status.totalSteps', type: 'integer', priority: 1 },
    { name: 'Duration', jsonPath: '.status.duration', type: 'string', priority: 1 },
  ],
  hasCleanUp: true,
});
