import type { Ref } from './api.ts';
import { InvalidError } from './errors.ts';

/** Where Workflow and WorkflowRun are defined. */
export const FLOWS = 'automation.colonies.io/v1';

/** Reads `nightly`, `workflow/nightly` and `{ name, namespace }`. */
export function workflowRef(workflow: string | Ref, namespace?: string): Ref {
  if (typeof workflow !== 'string') return workflow;
  const [first = '', name, ...rest] = workflow.split('/');
  if (rest.length > 0 || (name !== undefined && !/^(workflows?|wf)(\.automation\.colonies\.io)?$/i.test(first))) {
    throw new InvalidError([
      { path: '', message: `${JSON.stringify(workflow)} is not the name of a Workflow; write NAME or workflow/NAME` },
    ]);
  }
  return { name: name ?? first, ...(namespace === undefined ? {} : { namespace }) };
}
