import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { workflowCode } from '../workflow-code.ts';
import type { Replays } from './last-sound-task.ts';

/** Replays with the workflow code of this very worker. Fails for any other reason than that the code would have done something else. */
export const replaysHere =
  (resource: string): Replays =>
  async (history) => {
    try {
      await Worker.runReplayHistory({ ...workflowCode(), replayName: 'rescue' }, history, resource);
      return true;
    } catch (error) {
      if (error instanceof DeterminismViolationError) return false;
      throw error;
    }
  };
