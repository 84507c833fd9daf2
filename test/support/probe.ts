import { type Client, WithStartWorkflowOperation, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect } from 'vitest';
import type { ApplyAnswer } from '../../definitions/core/messages.ts';
import type { Condition, Metadata, Resource, ResourceEvent } from '../../definitions/core/resource.ts';
import { workflowCode } from '../../src/node/workflow-code.ts';
import { type History, historiesOf, troubles } from '../stress/histories.ts';

/** One resource's workflow as a plain Temporal client sees it: no door in between, so nothing is checked on the way. */
export class Probe {
  readonly handle: WorkflowHandle;

  constructor(
    private readonly client: Client,
    readonly workflowId: string,
    private readonly type: string,
  ) {
    this.handle = client.workflow.getHandle(workflowId);
  }

  /** Sends an apply by update, started if need be. Gives its answer, or the type of its refusal. */
  async apply(body: unknown): Promise<ApplyAnswer | string> {
    const startWorkflowOperation = new WithStartWorkflowOperation(this.type, {
      workflowId: this.workflowId,
      taskQueue: 'colony',
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [],
    });
    return answerOf(this.client.workflow.executeUpdateWithStart('apply', { args: [body], startWorkflowOperation }));
  }

  update(name: string, body: unknown): Promise<unknown> {
    return answerOf(this.handle.executeUpdate(name, { args: [body] }));
  }

  signal(name: string, ...args: readonly unknown[]): Promise<void> {
    return this.handle.signal<unknown[]>(name, ...args);
  }

  async resource(): Promise<Resource> {
    return (await this.handle.query('resource')) as Resource;
  }

  /** As the index shows it; asks no worker. */
  async publishedGeneration(): Promise<number | undefined> {
    const { memo } = await this.handle.describe();
    return (memo?.meta as Metadata | undefined)?.generation;
  }

  async events(): Promise<readonly ResourceEvent[]> {
    return (await this.handle.query('events')) as readonly ResourceEvent[];
  }

  async condition(type: string): Promise<Condition | undefined> {
    return (await this.resource())?.status?.conditions?.find((one) => one.type === type);
  }

  /** Waits until the condition is as wished. */
  async shows(type: string, wished: Partial<Condition>): Promise<Condition> {
    await expect.poll(() => this.condition(type), { timeout: 20_000, interval: 50 }).toMatchObject(wished);
    return (await this.condition(type)) as Condition;
  }

  /** Every run there was, oldest first. */
  async runs(): Promise<readonly { readonly runId: string; readonly history: History }[]> {
    const { raw } = await this.handle.describe();
    return historiesOf(this.client, this.workflowId, raw.workflowExecutionInfo?.firstRunId ?? '');
  }

  /** Waits until there is a second run. A run learns its size when a task begins, so what the last one made large hands over at the next occasion. */
  async rollsOver(): Promise<void> {
    await this.signal('reconcile');
    const isFirst = async (): Promise<boolean> => {
      const { runId, raw } = await this.handle.describe();
      return runId === raw.workflowExecutionInfo?.firstRunId;
    };
    await expect.poll(isFirst, { timeout: 10_000 }).toBe(false);
  }

  /** Every run of it can be replayed by the code of today. The SDK waits for ever for the end of a history without a finished task. */
  async replays(): Promise<void> {
    await this.hasBegun();
    const { Worker } = await import('@temporalio/worker');
    const histories = (await this.runs()).map(({ history }) => ({ workflowId: this.workflowId, history }));
    const failures: string[] = [];
    for await (const { error } of Worker.runReplayHistories(workflowCode(), histories)) if (error) failures.push(error.message);
    expect(failures).toEqual([]);
  }

  /** Waits without `expect.poll`, which several tests at once cannot share. */
  private async hasBegun(): Promise<void> {
    const until = Date.now() + 20_000;
    const isDone = ({ history }: { readonly history: History }): boolean =>
      history.events?.some(({ workflowTaskCompletedEventAttributes: done }) => done) ?? false;
    while (!(await this.runs()).every(isDone)) {
      if (Date.now() > until) throw new Error(`${this.workflowId} has a run that never began`);
      await new Promise((wake) => setTimeout(wake, 100));
    }
  }

  /** The workflow is as designed, and no task of it ever failed. */
  async isHealthy(status: 'RUNNING' | 'COMPLETED' | 'FAILED' = 'RUNNING'): Promise<void> {
    await expect.poll(async () => (await this.handle.describe()).status.name, { timeout: 10_000 }).toBe(status);
    expect((await this.runs()).flatMap(({ history }) => troubles(history))).toEqual([]);
  }
}

async function answerOf<T>(call: Promise<T>): Promise<T | string> {
  try {
    return await call;
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    if (cause instanceof ApplicationFailure && cause.type) return cause.type;
    throw error;
  }
}
