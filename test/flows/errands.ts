import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import type { Template } from '../../definitions/core/template.ts';
import { queueOf } from '../../definitions/replicas/lanes.ts';
import type { Inspected, Listed } from '../support/docker/engine-client.ts';
import { eventually, type Stage } from '../support/instances.ts';
import { plainTemplate } from '../support/plain-template.ts';

export interface Outcome {
  readonly exitCode?: number;
  readonly output?: string;
  readonly signal?: string;
  readonly reason?: string;
  readonly message?: string;
}

const QUEUE = 'errands';

/** Somebody who calls `runInstance` as a run does. */
export async function startErrands(stage: Stage): Promise<void> {
  const { NativeConnection, Worker } = await import('@temporalio/worker');
  const connection = await NativeConnection.connect({ address: stage.address });
  const worker = await Worker.create({
    connection,
    namespace: stage.namespace,
    taskQueue: QUEUE,
    workflowsPath: fileURLToPath(new URL('./errand-workflow.ts', import.meta.url)),
  });
  const running = worker.run();
  stage.onEnd(async () => {
    worker.shutdown();
    await running;
    await connection.close();
  });
}

/** One step of one run, as Temporal and the engine see it. */
export class Errand {
  private constructor(
    private readonly stage: Stage,
    readonly handle: WorkflowHandle,
    readonly uid: string,
  ) {}

  static async start(
    stage: Stage,
    template: Partial<Template>,
    more: { attempts?: number; limitMs?: number; node?: string; afterwards?: readonly { attempt: number; heard?: number }[] } = {},
  ): Promise<Errand> {
    const { node = stage.node, ...given } = more;
    const whole = { ...plainTemplate, image: 'colony-test:v1', stop: { signal: 'SIGTERM', graceSeconds: 2 }, ...template };
    if (whole.runtime === 'local') delete (whole as { image?: string }).image;
    const handle = await stage.client.workflow.start('errand', {
      workflowId: `workflowruns.automation.colonies.io/default/e-${randomUUID().slice(0, 8)}`,
      taskQueue: QUEUE,
      args: [queueOf(node), { template: whole, ...given }],
    });
    stage.onEnd(() => handle.terminate().catch(() => {}));
    return new Errand(stage, handle, handle.firstExecutionRunId);
  }

  containers(): Promise<readonly Listed[]> {
    return this.stage.engine.list(`colony.uid=${this.uid}`);
  }

  async running(): Promise<Inspected> {
    return await eventually('a container runs', async () => {
      const [one] = (await this.containers()).filter(({ State }) => State === 'running');
      return one && (await this.stage.engine.inspect(one.Id));
    });
  }

  /** What all its attempts ended with. */
  async ends(): Promise<readonly Outcome[]> {
    await this.handle.signal('finish');
    await this.handle.signal('leave');
    return (await this.handle.result()) as readonly Outcome[];
  }

  /** How often something happened to one of its containers. */
  async count(action: string): Promise<number> {
    await this.stage.recorder.caughtUp();
    return this.stage.recorder.events.filter((event) => event.action === action && event.attributes['colony.uid'] === this.uid).length;
  }
}
