import { WithStartWorkflowOperation } from '@temporalio/client';
import type { Contender, WorkerOptions } from '../contender.ts';
import { Calls } from '../stage/calls.ts';
import type { Stage } from '../stage/stage.ts';
import { BARE_QUEUE } from './contract.ts';
import type { entity } from './workflow.ts';

/** Starts the bare entity's worker and executor. */
export async function startBare(stage: Stage, options: WorkerOptions = {}): Promise<Contender> {
  const [worker, executor] = await Promise.all([
    stage.start('bare/worker', options),
    stage.start('processes/executor', { env: { BENCH_QUEUE: 'bare-executor' } }),
  ]);
  const calls = new Calls(executor);
  const workflowIdOf = (name: string): string => `bare/default/${name}`;
  const { workflow } = stage.client;
  return {
    name: 'bare',
    pids: { worker: worker.pid, executor: executor.pid },
    workflowIdOf,
    apply: async (name, n) => {
      const startWorkflowOperation = new WithStartWorkflowOperation<typeof entity>('entity', {
        workflowId: workflowIdOf(name),
        taskQueue: BARE_QUEUE,
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout: '5s',
        args: [],
      });
      const wish = { metadata: { name, namespace: 'default' }, spec: { size: n, colour: 'red' } };
      await workflow.executeUpdateWithStart('apply', { args: [wish], startWorkflowOperation });
    },
    handled: (name) => calls.next(name),
    memory: () => worker.ask('memory'),
  };
}
