import { defineKind } from '../core/kind.ts';
import { commands } from './commands.ts';
import { editIssues } from './edit.ts';
import { plan } from './plan.ts';
import { workflowRunSpec, workflowRunStatus } from './schema.ts';

/** One run of steps, from its start to its end; it can be watched, answered, edited and begun again where it failed. */
export const workflowRun = defineKind({
  group: 'automation.colonies.io',
  version: 'v1',
  names: {
    kind: 'WorkflowRun',
    listKind: 'WorkflowRunList',
    singular: 'workflowrun',
    plural: 'workflowruns',
    shortNames: ['run', 'wfr'],
  },
  scope: 'Namespaced',
  description: 'One run of steps that depend on each other',
  spec: workflowRunSpec,
  status: workflowRunStatus,
  admit: (next, view) => ({ issues: view ? editIssues(next, view) : [] }),
  plan,
  commands,
  columns: [
    { name: 'Workflow', jsonPath: '.spec.workflow', type: 'string' },
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
    { name: 'Progress', jsonPath: '.status.progress', type: 'string' },
    { name: 'Duration', jsonPath: '.status.duration', type: 'string' },
    { name: 'Started', jsonPath: '.status.startedAt', type: 'date' },
    { name: 'Message', jsonPath: '.status.message', type: 'string', priority: 1 },
  ],
  hasCleanUp: true,
});
