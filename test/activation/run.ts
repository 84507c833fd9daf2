import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPayloadConverter, TypedSearchAttributes } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import { coresdk } from '@temporalio/proto';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import Long from 'long';
import type { DecideRequest, Decision, Tell } from '../../definitions/core/decision.ts';
import { cloneRoot } from '../../src/config.ts';
import { isMark, jobsFromJson, jobsToJson, marksIn, outlineOf, type Recording } from './recording.ts';

type Job = coresdk.workflow_activation.IWorkflowActivationJob;
type Command = coresdk.workflow_commands.IWorkflowCommand;
type Decide = (request: DecideRequest) => Promise<Decision>;

/** One activation of the workflow and what it answered, as the server would have seen it. */
interface Turn {
  readonly at: number;
  readonly historyLength: number;
  readonly historySize?: number;
  readonly jobs: readonly Job[];
  readonly commands: readonly Command[];
}

export interface PendingActivity {
  readonly seq: number;
  readonly type: string;
  readonly queue: string;
  readonly input: Record<string, unknown>;
  isCancelRequested: boolean;
}

/** News on its way to the owner: by the worker itself (`tellOwner`), or by a signal that the server keeps. */
export interface PendingNews extends Pick<Tell, 'to' | 'news'> {
  readonly seq: number;
}

export interface RunOptions {
  readonly workflowId: string;
  readonly workflowType: string;
  readonly input?: unknown;
  readonly decide: Decide;
  readonly firstRunId?: string;
  /** Of the history when its first task begins. */
  readonly bornWithBytes?: number;
}

let creator: Promise<ReusableVMWorkflowCreator> | undefined;
let runs = 0;

/** The real bundle in the SDK's own VM, the same that a worker uses; or an earlier one, to record how it went then. */
function vm(): Promise<ReusableVMWorkflowCreator> {
  const code = readFileSync(process.env.COLONY_TEST_BUNDLE ?? join(cloneRoot(), 'dist', 'workflow-bundle.js'), 'utf8');
  creator ??= ReusableVMWorkflowCreator.create(parseWorkflowCode(code), 5_000, new Set(['decide', 'tellOwner']));
  return creator;
}

/**
 * One run of the resource workflow, driven activation by activation without a server.
 *
 * Time, events and answers are the test's; decisions are made by the real decider when the test says so.
 */
export class Run {
  readonly activities = new Map<number, PendingActivity>();
  readonly timers = new Map<number, number>();
  /** News that the worker is bringing to the owner: the loop waits until it has. */
  telling: PendingNews | undefined;
  /** Signals to other workflows that the server has not confirmed yet. */
  readonly signals = new Map<number, PendingNews & { readonly name: string }>();
  readonly answers = new Map<string, { readonly value?: unknown; readonly failure?: string }>();
  readonly attributes: Record<string, unknown> = {};
  readonly memo: Record<string, unknown> = {};
  /** How the run ended, once it has. */
  end: { readonly kind: 'completed' | 'failed' | 'continued'; readonly value?: unknown } | undefined;
  openDecisions = 0;
  now = Date.UTC(2026, 0, 1);
  historyLength = 3;
  /** In bytes; what happens adds nothing to it. */
  historySize = 0;
  private readonly turns: Turn[] = [];
  private readonly accepted = new Set<string>();
  /** What the SDK writes into the history about its own ways, and is told again in replay. */
  private readonly flags = new Set<number>();
  private decision: { readonly seq: number; readonly request: DecideRequest } | undefined;

  private constructor(
    private readonly options: RunOptions,
    private readonly workflow: Awaited<ReturnType<ReusableVMWorkflowCreator['createWorkflow']>>,
  ) {}

  static async start(options: RunOptions, more: readonly Job[] = []): Promise<Run> {
    const run = new Run(options, await create(options));
    run.historySize = options.bornWithBytes ?? 0;
    await run.activate([{ initializeWorkflow: initJob(options, run.now) }, ...more]);
    return run;
  }

  /**
   * Lives again what an earlier bundle has lived, as a worker does that takes the workflow over, and goes on from there.
   *
   * Throws when today's bundle would have said something else to the same. `marks` are told first, as if the run had had them.
   */
  static async resume(options: RunOptions, { flags, turns }: Recording, marks: readonly string[] = []): Promise<Run> {
    const run = new Run(options, await create(options));
    for (const flag of flags) run.flags.add(flag);
    for (const [index, { at, historyLength, historySize = 0, jobs, said }] of turns.entries()) {
      const told = jobsFromJson(jobs);
      const known = [...marksIn(said), ...(index > 0 ? [] : marks)].map((patchId) => ({ notifyHasPatch: { patchId } }));
      const turn = { at, historyLength, historySize, jobs: [...known, ...told] };
      const { commands } = await commandsOf(run.workflow, { ...turn, isReplaying: true, flags: run.flags });
      const [saysNow, saidThen] = [commands.map(outlineOf), said].map((lines) => lines.filter((line) => !isMark(line)).join(', '));
      if (saysNow !== saidThen) throw new Error(`activation ${index} replays differently:\n  ${saidThen}\n  ${saysNow}`);
      run.turns.push({ ...turn, commands });
      for (const job of told) run.forget(job);
      for (const command of commands) run.take(command);
      [run.now, run.historyLength, run.historySize] = [at, historyLength, historySize];
    }
    return run;
  }

  /** What was lived so far, to be kept. */
  record(): Recording {
    const turns = this.turns.map(({ jobs, commands, ...turn }) => ({ ...turn, jobs: jobsToJson(jobs), said: commands.map(outlineOf) }));
    return { flags: [...this.flags], turns };
  }

  signal(name: string, body?: unknown): Promise<void> {
    return this.activate([signalJob(name, body)]);
  }

  update(name: string, body: unknown, id: string): Promise<void> {
    return this.activate([updateJob(name, body, id)]);
  }

  get hasOpenDecision(): boolean {
    return this.decision !== undefined;
  }

  /** Lets the decider answer the open question, and all that follow from it. */
  async think(): Promise<void> {
    while (this.decision && !this.end) await this.thinkOnce();
  }

  async thinkOnce(): Promise<void> {
    if (!this.decision) return;
    const { seq, request } = this.decision;
    this.decision = undefined;
    const answer = JSON.parse(JSON.stringify(await this.options.decide(request))) as Decision;
    await this.activate([{ resolveActivity: { seq, isLocal: true, result: { completed: { result: payload(answer) } } } }]);
  }

  async land(seq: number, value: unknown): Promise<void> {
    this.activities.delete(seq);
    await this.activate([{ resolveActivity: { seq, result: { completed: { result: payload(value) } } } }]);
  }

  async crash(seq: number, type: string, message: string): Promise<void> {
    this.activities.delete(seq);
    const cause = { message, applicationFailureInfo: { type } };
    await this.activate([
      {
        resolveActivity: {
          seq,
          result: {
            failed: {
              failure: { message: 'activity failed', cause, activityFailureInfo: { activityType: { name: 'any' }, activityId: '1' } },
            },
          },
        },
      },
    ]);
  }

  /** The owner has heard it from the worker; or, with a reason, the worker gave up. */
  async tell(failure?: string): Promise<void> {
    if (!this.telling) throw new Error('nobody is being told anything');
    const { seq } = this.telling;
    this.telling = undefined;
    const failed = { failure: { message: failure ?? '', applicationFailureInfo: { type: 'Error' } } };
    const result = failure === undefined ? { completed: { result: payload(null) } } : { failed };
    await this.activate([{ resolveActivity: { seq, isLocal: true, result } }]);
  }

  /** The server has brought a signal to its workflow; or, with a reason, could not. */
  async arrive(seq: number, failure?: string): Promise<void> {
    this.signals.delete(seq);
    await this.activate([{ resolveSignalExternalWorkflow: { seq, ...(failure === undefined ? {} : { failure: { message: failure } }) } }]);
  }

  /** Fires the earliest timer, at its time. */
  async ring(): Promise<void> {
    const [next] = [...this.timers.entries()].sort(([, a], [, b]) => a - b);
    if (!next) return;
    this.timers.delete(next[0]);
    this.now = Math.max(this.now, next[1]);
    await this.activate([{ fireTimer: { seq: next[0] } }]);
  }

  async query(name: string): Promise<unknown> {
    const jobs = [{ queryWorkflow: { queryId: 'q', queryType: name } }];
    const { successful } = await this.workflow.activate(
      coresdk.workflow_activation.WorkflowActivation.fromObject({ runId: 'r', timestamp: msToTs(this.now), jobs }),
    );
    const response = successful?.commands?.[0]?.respondToQuery?.succeeded?.response;
    return response ? defaultPayloadConverter.fromPayload(response) : undefined;
  }

  /** Feeds the same activations to a fresh instance: it must say the same, word for word. */
  async replay(): Promise<void> {
    const again = await create(this.options);
    for (const [index, turn] of this.turns.entries()) {
      // What a validator refused never reached the history.
      const known = turn.jobs.filter(({ doUpdate }) => !doUpdate || this.accepted.has(doUpdate.id ?? ''));
      if (known.length === 0) continue;
      // A patch that was marked is told before anything else.
      const marked = turn.commands.flatMap(({ setPatchMarker }) => (setPatchMarker ? [setPatchMarker.patchId ?? ''] : []));
      const jobs = [...marked.map((patchId) => ({ notifyHasPatch: { patchId } })), ...known];
      const expected = turn.commands.filter(
        ({ updateResponse }) => !updateResponse || this.accepted.has(updateResponse.protocolInstanceId ?? ''),
      );
      const { commands } = await commandsOf(again, { ...turn, jobs, isReplaying: true, flags: this.flags });
      if (textOf(commands) !== textOf(expected)) {
        throw new Error(`activation ${index} replays differently:\n${brief(expected)}\n${brief(commands)}`);
      }
    }
    await again.dispose();
  }

  async activate(jobs: readonly Job[]): Promise<void> {
    this.now += 1;
    this.historyLength += 3 + jobs.length;
    const turn = { at: this.now, historyLength: this.historyLength, historySize: this.historySize, jobs };
    const { commands, flags } = await commandsOf(this.workflow, { ...turn, isReplaying: false, flags: this.flags });
    for (const flag of flags) this.flags.add(flag);
    this.turns.push({ ...turn, commands });
    for (const command of commands) this.take(command);
    await this.confirmCancels();
  }

  /** The server confirms a cancel request; an executor that heeds it answers so at once. */
  private async confirmCancels(): Promise<void> {
    const cancelled = [...this.activities.values()].filter(({ isCancelRequested }) => isCancelRequested);
    for (const { seq } of cancelled) {
      this.activities.delete(seq);
      const failure = {
        message: 'cancelled',
        cause: { message: 'cancelled', canceledFailureInfo: {} },
        activityFailureInfo: { activityType: { name: 'any' }, activityId: '1' },
      };
      await this.activate([{ resolveActivity: { seq, result: { cancelled: { failure } } } }]);
    }
  }

  /** What has been answered is not waited for any more. */
  private forget({ resolveActivity, resolveSignalExternalWorkflow, fireTimer }: Job): void {
    const seq = resolveActivity?.seq ?? -1;
    if (resolveActivity?.isLocal && this.decision?.seq === seq) this.decision = undefined;
    if (resolveActivity?.isLocal && this.telling?.seq === seq) this.telling = undefined;
    if (!resolveActivity?.isLocal) this.activities.delete(seq);
    if (resolveSignalExternalWorkflow) this.signals.delete(resolveSignalExternalWorkflow.seq ?? 0);
    if (fireTimer) this.timers.delete(fireTimer.seq ?? 0);
  }

  private take(command: Command): void {
    const { scheduleLocalActivity, scheduleActivity, requestCancelActivity, startTimer, cancelTimer, updateResponse } = command;
    if (scheduleLocalActivity) this.takeLocal(scheduleLocalActivity);
    if (scheduleActivity) {
      const { seq, activityType, taskQueue, arguments: args } = scheduleActivity;
      this.activities.set(seq ?? 0, {
        seq: seq ?? 0,
        type: activityType ?? '',
        queue: taskQueue ?? '',
        input: value(args?.[0]) as Record<string, unknown>,
        isCancelRequested: false,
      });
    }
    const cancelled = requestCancelActivity ? this.activities.get(requestCancelActivity.seq ?? 0) : undefined;
    if (cancelled) cancelled.isCancelRequested = true;
    if (startTimer)
      this.timers.set(
        startTimer.seq ?? 0,
        this.now + Number(startTimer.startToFireTimeout?.seconds ?? 0) * 1000 + (startTimer.startToFireTimeout?.nanos ?? 0) / 1e6,
      );
    if (cancelTimer) this.timers.delete(cancelTimer.seq ?? 0);
    if (updateResponse?.accepted) this.accepted.add(updateResponse.protocolInstanceId ?? '');
    if (updateResponse?.completed) this.answers.set(updateResponse.protocolInstanceId ?? '', { value: value(updateResponse.completed) });
    if (updateResponse?.rejected) {
      this.answers.set(updateResponse.protocolInstanceId ?? '', {
        failure: updateResponse.rejected.applicationFailureInfo?.type ?? updateResponse.rejected.message ?? '',
      });
    }
    this.takeSignal(command);
    this.takePublication(command);
    this.takeEnd(command);
  }

  private takeLocal({ seq, activityType, arguments: args }: coresdk.workflow_commands.IScheduleLocalActivity): void {
    if (this.decision || this.telling) throw new Error('two local activities at once');
    const request = value(args?.[0]);
    if (activityType === 'tellOwner') {
      this.telling = { ...(request as Pick<Tell, 'to' | 'news'>), seq: seq ?? 0 };
      return;
    }
    this.openDecisions += 1;
    this.decision = { seq: seq ?? 0, request: request as DecideRequest };
  }

  private takeSignal({ signalExternalWorkflowExecution: signal }: Command): void {
    if (!signal) return;
    const [news] = signal.args ?? [];
    const seq = signal.seq ?? 0;
    const to = signal.workflowExecution?.workflowId ?? '';
    this.signals.set(seq, { seq, to, name: signal.signalName ?? '', news: value(news) as Tell['news'] });
  }

  private takePublication({ upsertWorkflowSearchAttributes, modifyWorkflowProperties }: Command): void {
    for (const [key, field] of Object.entries(upsertWorkflowSearchAttributes?.searchAttributes?.indexedFields ?? {}))
      this.attributes[key] = value(field);
    for (const [key, field] of Object.entries(modifyWorkflowProperties?.upsertedMemo?.fields ?? {})) this.memo[key] = value(field);
  }

  private takeEnd({ completeWorkflowExecution, failWorkflowExecution, continueAsNewWorkflowExecution }: Command): void {
    if (completeWorkflowExecution) this.end = { kind: 'completed', value: value(completeWorkflowExecution.result) };
    if (failWorkflowExecution) this.end = { kind: 'failed', value: failWorkflowExecution.failure?.message };
    if (!continueAsNewWorkflowExecution) return;
    this.end = { kind: 'continued', value: value(continueAsNewWorkflowExecution.arguments?.[0]) };
    // The next run begins with those that are handed over, and no others.
    for (const key of Object.keys(this.attributes)) delete this.attributes[key];
    const handedOver = continueAsNewWorkflowExecution.searchAttributes?.indexedFields ?? {};
    for (const [key, field] of Object.entries(handedOver)) this.attributes[key] = value(field);
  }
}

export function signalJob(name: string, body?: unknown): Job {
  return { signalWorkflow: { signalName: name, input: body === undefined ? [] : [payload(body)], identity: 'test', headers: {} } };
}

export function updateJob(name: string, body: unknown, id: string): Job {
  return {
    doUpdate: {
      id,
      protocolInstanceId: id,
      name,
      input: [payload(body)],
      headers: {},
      runValidator: true,
      meta: { updateId: id, identity: 'test' },
    },
  };
}

async function create({
  workflowId,
  workflowType,
  firstRunId,
  input,
}: RunOptions): Promise<Awaited<ReturnType<ReusableVMWorkflowCreator['createWorkflow']>>> {
  runs += 1;
  const runId = `run-${runs}`;
  return (await vm()).createWorkflow({
    info: {
      workflowId,
      runId,
      workflowType,
      firstExecutionRunId: firstRunId ?? '01a1e24e-7f38-7e9a-a21a-4961fb5f0f2e',
      ...(typeof input === 'object' && input !== null && 'carried' in input ? { continuedFromExecutionRunId: 'earlier' } : {}),
      namespace: 'default',
      taskQueue: 'colony',
      searchAttributes: {},
      typedSearchAttributes: new TypedSearchAttributes([]),
      historyLength: 3,
      historySize: 300,
      continueAsNewSuggested: false,
      targetWorkerDeploymentVersionChanged: false,
      startTime: new Date(Date.UTC(2026, 0, 1)),
      runStartTime: new Date(Date.UTC(2026, 0, 1)),
      attempt: 1,
      taskTimeoutMs: 5_000,
      unsafe: { isReplaying: false, isReplayingHistoryEvents: false, now: Date.now },
    } as never,
    randomnessSeed: [1, 2, 3, 4, 5, 6, 7, 8],
    now: Date.UTC(2026, 0, 1),
    showStackTraceSources: false,
  });
}

function initJob({ workflowId, workflowType, input }: RunOptions, now: number): NonNullable<Job['initializeWorkflow']> {
  return {
    workflowId,
    workflowType,
    arguments: input === undefined ? [] : [payload(input)],
    randomnessSeed: Long.ONE,
    startTime: msToTs(now),
  };
}

interface Activation {
  readonly at: number;
  readonly historyLength: number;
  readonly historySize?: number;
  readonly jobs: readonly Job[];
  readonly isReplaying: boolean;
  readonly flags: ReadonlySet<number>;
}

interface Said {
  readonly commands: readonly Command[];
  readonly flags: readonly number[];
}

async function commandsOf(
  workflow: Awaited<ReturnType<ReusableVMWorkflowCreator['createWorkflow']>>,
  activation: Activation,
): Promise<Said> {
  const { at, historyLength, historySize = 0, jobs, isReplaying, flags } = activation;
  // Validators are not run again in replay: core says so with the job.
  const told = isReplaying ? jobs.map((job) => (job.doUpdate ? { doUpdate: { ...job.doUpdate, runValidator: false } } : job)) : jobs;
  const completion = await workflow.activate({
    runId: 'r',
    timestamp: msToTs(at),
    historyLength,
    historySizeBytes: Long.fromNumber(historySize),
    isReplaying,
    availableInternalFlags: [...flags],
    jobs: told as Job[],
  });
  if (!completion.successful)
    throw new Error(`the activation failed: ${completion.failed?.failure?.message}\n${completion.failed?.failure?.stackTrace}`);
  return { commands: completion.successful.commands ?? [], flags: completion.successful.usedInternalFlags ?? [] };
}

/** Commands as text, with bytes in short: as JSON they would be an object with a field for each. */
const textOf = (commands: readonly Command[]): string =>
  JSON.stringify(commands, (_key, field: unknown) => (ArrayBuffer.isView(field) ? latin1(field) : field));

const latin1 = ({ buffer, byteOffset, byteLength }: ArrayBufferView): string =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('latin1');

/** Commands as a person can compare them. */
function brief(commands: readonly Command[]): string {
  const text = (command: Command) => {
    const [[name, body] = ['nothing', {}]] = Object.entries(command);
    const args = (body as { arguments?: unknown[] }).arguments?.map(value) ?? [];
    return `  ${name} ${JSON.stringify(args).slice(0, 2_000)}`;
  };
  return commands.map(text).join('\n');
}

const payload = (data: unknown): never => defaultPayloadConverter.toPayload(data ?? null) as never;
const value = (data: unknown): unknown => (data ? defaultPayloadConverter.fromPayload(data as never) : undefined);
