const FINISHED: readonly string[] = ['Succeeded', 'Failed', 'Cancelled', 'Terminated'];

/** Phases of a WorkflowRun after which nothing happens by itself. */
export const isFinished = (phase: string | undefined): boolean => phase !== undefined && FINISHED.includes(phase);
