import { randomInt } from 'node:crypto';
import { checkParams, runManifestOf } from '../../definitions/workflow/run-manifest.ts';
import type { WorkflowSpec } from '../../definitions/workflow/schema.ts';
import type { Colony, Ref, RunHandle, RunOptions } from './api.ts';
import { AlreadyExistsError, InvalidError } from './errors.ts';
import { FLOWS, workflowRef } from './flow-ref.ts';
import { DEFAULT_NAMESPACE } from './target.ts';

/** Letters that make no words. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_CHARS = 5;
const MAX_NAME = 253;
const TRIES = 5;
const FOR_EVER_MS = 2 ** 31 - 1;

/** Begins a run of a Workflow. Throws NotFoundError, InvalidError for parameters that do not fit, AlreadyExistsError for a name that is taken. */
export async function startRun(colony: Pick<Colony, 'resources'>, workflow: string | Ref, options: RunOptions = {}): Promise<RunHandle> {
  const { name: workflowName, namespace = DEFAULT_NAMESPACE } = workflowRef(workflow, options.namespace);
  const found = await colony.resources(FLOWS, 'Workflow').get({ name: workflowName, namespace });
  const checked = checkParams(found.spec as unknown as WorkflowSpec, options.params ?? {});
  if ('issues' in checked) throw new InvalidError(checked.issues, `the run of Workflow ${workflowName}`);
  const runs = colony.resources(FLOWS, 'WorkflowRun');
  for (let left = TRIES; ; left -= 1) {
    const name = options.name ?? madeUp(workflowName);
    try {
      const { apiVersion: _, kind: __, ...manifest } = runManifestOf(found, { name, params: checked.params });
      const { uid } = await runs.apply({ ...manifest, spec: manifest.spec ?? {} }, { only: 'create' });
      const ref = { name, namespace };
      return {
        ...ref,
        uid,
        wait: async ({ timeoutMs = FOR_EVER_MS, signal } = {}) => {
          const ended = await runs.waitFor(ref, 'Completed', { timeoutMs, ...(signal ? { signal } : {}) });
          return ended ?? runs.get(ref);
        },
      };
    } catch (error) {
      if (options.name !== undefined || left <= 1 || !(error instanceof AlreadyExistsError)) throw error;
    }
  }
}

function madeUp(workflow: string): string {
  const suffix = Array.from({ length: SUFFIX_CHARS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${workflow.slice(0, MAX_NAME - SUFFIX_CHARS - 1)}-${suffix}`;
}
