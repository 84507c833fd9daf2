import type { Client, ScheduleDescription, ScheduleHandle, WorkflowHandle } from '@temporalio/client';
import type { JsonObject, Resource } from '../../definitions/core/resource.ts';
import type { ColonyClient, Resources } from '../../src/client/api.ts';
import { connect } from '../../src/client/connect.ts';
import type { StepCall } from '../../src/executor/index.ts';
import { type RunningExecutor, runExecutor } from '../../src/executor/run.ts';
import { createLog, installRuntime } from '../../src/node/log.ts';
import { type Env, eventually, Supervised, workerEnv } from '../faults/processes.ts';
import { describeSchedule } from '../support/describe-schedule.ts';
import { connectClient, leaseNamespace, temporalAddress } from '../support/temporal.ts';

/** A time that does not come while a test runs. */
export const FAR = '0 3 1 1 *';

const API = 'automation.colonies.io/v1';
const SOON_MS = 60_000;

/** The real worker process, and an executor whose steps end when a test lets them. */
export class FlowLab {
  /** What steps were asked to do, in order. */
  readonly calls: { readonly name: string; readonly call: StepCall }[] = [];
  private readonly held = new Map<string, () => void>();
  private executor: RunningExecutor | undefined;

  private constructor(
    readonly client: Client,
    readonly workflows: Resources,
    readonly runs: Resources,
    readonly colony: ColonyClient,
    private readonly env: Env,
    public worker: Supervised,
  ) {}

  static async open(): Promise<FlowLab> {
    installRuntime(createLog('error', 'test'));
    const temporalNamespace = leaseNamespace();
    const address = temporalAddress();
    const env = workerEnv(temporalNamespace);
    const worker = new Supervised('dist/worker.mjs', env);
    await worker.start();
    const [client, colony] = await Promise.all([connectClient(temporalNamespace), connect({ address, temporalNamespace })]);
    const [workflows, runs] = [colony.resources(API, 'Workflow'), colony.resources(API, 'WorkflowRun')];
    const lab = new FlowLab(client, workflows, runs, colony, env, worker);
    lab.executor = await runExecutor({ executorType: 'holders', steps: lab.steps() }, { address, temporalNamespace });
    return lab;
  }

  async close(): Promise<void> {
    for (const free of this.held.values()) free();
    this.executor?.stop();
    await this.executor?.done;
    await this.colony.close();
    await this.client.connection.close();
    await this.worker.stop();
  }

  /** Another worker process in place of the one there is. */
  async replaceWorker(env: Env): Promise<void> {
    await this.worker.stop();
    this.worker = new Supervised('dist/worker.mjs', this.env);
    await this.worker.start(env);
  }

  /** The step `hold` of that run goes on now. */
  isHeld(run: Resource): boolean {
    return this.held.has(run.metadata.name);
  }

  free(run: Resource): void {
    this.held.get(run.metadata.name)?.();
  }

  async hasPhase(run: Resource, wanted: string): Promise<void> {
    const { name } = run.metadata;
    await eventually(`${name} is ${wanted}`, async () => (await this.runs.get(name)).status?.phase === wanted || undefined);
  }

  private steps() {
    const hold = async (call: StepCall, { signal }: { readonly signal: AbortSignal }): Promise<unknown> => {
      this.calls.push({ name: 'hold', call });
      await new Promise<void>((free, stop) => {
        this.held.set(call.run, free);
        signal.addEventListener('abort', () => stop(signal.reason as Error));
      });
      return { held: true };
    };
    const tell = async (call: StepCall): Promise<unknown> => {
      this.calls.push({ name: 'tell', call });
      return {};
    };
    return { hold, tell };
  }
}

export const step = (name: string, funcName: string, kwargs: JsonObject = {}) => ({
  name,
  functionSpec: { funcName, conditions: { executorType: 'holders' }, kwargs },
});

/** One Workflow, its schedule in the server, and what that starts. */
export class Flow {
  readonly id: string;

  constructor(
    private readonly lab: FlowLab,
    readonly name: string,
  ) {
    this.id = `workflows.automation.colonies.io/default/${name}`;
  }

  /** The workflow behind the resource. */
  get handle(): WorkflowHandle {
    return this.lab.client.workflow.getHandle(this.id);
  }

  get schedule(): ScheduleHandle {
    return this.lab.client.schedule.getHandle(this.id);
  }

  /** Comes back when the schedule is as that spec wishes. Its steps are held unless it has others. */
  async apply(spec: JsonObject): Promise<Resource> {
    await this.wish(spec);
    return (await this.lab.workflows.waitFor(this.name, 'Ready', { timeoutMs: SOON_MS })) as Resource;
  }

  async wish(spec: JsonObject): Promise<void> {
    await this.lab.workflows.apply({ metadata: { name: this.name }, spec: { steps: [step('load', 'hold')], ...spec } });
  }

  describe(): Promise<ScheduleDescription> {
    return describeSchedule(this.lab.client, this.id);
  }

  /** By name, which is by time. */
  async runs(): Promise<readonly Resource[]> {
    return (await this.lab.runs.list())
      .filter(({ metadata }) => metadata.name.startsWith(`${this.name}-`))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** That run, when its step goes on. */
  run(n: number): Promise<Resource> {
    return eventually(`run ${n} of ${this.name}`, async () => {
      const run = (await this.runs())[n - 1];
      return run && this.lab.isHeld(run) ? run : undefined;
    });
  }

  /** What the schedule has started so far, oldest first. */
  async starts(): Promise<readonly WorkflowHandle[]> {
    const { info } = await this.describe();
    return info.recentActions.map(({ action }) => this.lab.client.workflow.getHandle(action.workflow.workflowId));
  }

  start(n: number): Promise<WorkflowHandle> {
    return eventually(`start ${n} of ${this.name}`, async () => (await this.starts())[n - 1]);
  }
}
