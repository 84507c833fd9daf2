import type { Contender, WorkerOptions } from '../contender.ts';
import { Calls } from '../stage/calls.ts';
import type { Stage } from '../stage/stage.ts';
import { openDoor } from './door.ts';
import { widget, widgetDefinition, widgetId } from './widget.ts';

/** Starts colony's worker and an executor, and registers a kind with a handler that does nothing. */
export async function startOurs(stage: Stage, options: WorkerOptions = {}): Promise<Contender> {
  const [worker, executor] = await Promise.all([
    stage.start('processes/colony-worker', options),
    stage.start('processes/executor', { env: { BENCH_QUEUE: 'bench-executor' } }),
  ]);
  const door = await openDoor(stage);
  await door.apply(widgetDefinition({ handled: true }));
  const calls = new Calls(executor);
  return {
    name: 'ours',
    pids: { worker: worker.pid, executor: executor.pid },
    workflowIdOf: widgetId,
    apply: async (name, n) => {
      await door.apply(widget(name, n));
    },
    handled: (name) => calls.next(name),
    memory: () => worker.ask('memory'),
  };
}
