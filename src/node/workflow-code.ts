import { join } from 'node:path';
import type { InjectedSinks } from '@temporalio/worker';
import type { ColonySinks } from '../../workflows/interceptors.ts';
import { cloneRoot } from '../config.ts';

/** One run of a resource. */
export interface Run {
  /** Id of its workflow. */
  readonly resource: string;
  readonly runId: string;
}

/** The workflows as they were built, and who hears that one is built up: what every worker needs that runs or replays them. */
export function workflowCode(built: (run: Run) => void = () => {}) {
  const sinks: InjectedSinks<ColonySinks> = {
    colony: { built: { fn: ({ workflowId, runId }) => built({ resource: workflowId, runId }), callDuringReplay: true } },
  };
  return { workflowBundle: { codePath: join(cloneRoot(), 'dist', 'workflow-bundle.js') }, sinks };
}
