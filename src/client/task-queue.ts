/** The task queue of resource workflows. */
export const TASK_QUEUE = 'colony';
