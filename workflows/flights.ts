import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import { jsonBytes } from '../definitions/core/replayed/bytes.ts';
import type { JsonObject } from '../definitions/core/resource.ts';
import type { Failing, Observation, Step } from '../definitions/core/step.ts';
import { Kept } from './kept.ts';
import { Unreadable } from './payload-converter.ts';
import { note, type ResourceState } from './state.ts';

interface Flight {
  readonly step: Step;
  readonly generation: number;
  readonly nudge: number;
  readonly scope: CancellationScope;
  cancelled: boolean;
}

const NEVER = Number.MAX_SAFE_INTEGER;
const MAX_RESULT_BYTES = 256 * 1024;
const MAX_BACK_OFF_MS = 5 * 60_000;
const MAX_REASON = 100;

/**
 * The steps that are in the air: one retryable activity each.
 *
 * Guarantees: at most one flight per lane (`about`); a new wish waits until the cancelled one has landed; a landing is one
 * assignment, `observed[about] = result`, or one entry in `failing`.
 */
export class Flights {
  private readonly air = new Map<string, Flight>();
  private readonly kept: Kept;

  /** @param landed called after every landing, with whether it went well, so that the loop thinks again. */
  constructor(
    private readonly state: ResourceState,
    private readonly landed: (isWell: boolean) => void,
  ) {
    this.kept = new Kept(state);
  }

  get isEmpty(): boolean {
    return this.air.size === 0;
  }

  /** Of all that has not landed, also what nobody wants any more. */
  get keys(): readonly string[] {
    return [...this.air.values()].map(({ step }) => step.key);
  }

  /** Nothing in the air minds being cancelled and started again. */
  get isBreakable(): boolean {
    return [...this.air.values()].every(({ step }) => !step.unbroken);
  }

  has(about: string): boolean {
    return this.air.has(about);
  }

  /** Cancels what is in the air and not planned; starts what is planned and not in the air. True when something started. */
  sync(steps: readonly Step[]): boolean {
    const wanted = new Map(steps.map((step) => [step.about, step.key]));
    const flying = [...this.air.values()].map(({ step }) => step);
    return this.change(
      steps,
      flying.filter(({ about, key }) => wanted.get(about) !== key).map(({ key }) => key),
    );
  }

  /** Cancels by key, and starts what has a free lane: the rest is planned again when its lane has landed. True when something started. */
  change(start: readonly Step[], cancel: readonly string[]): boolean {
    const unwanted = new Set(cancel);
    for (const flight of this.air.values()) if (unwanted.has(flight.step.key)) this.cancel(flight);
    const wanted = new Map(start.map((step) => [step.about, step]));
    const idle = [...wanted.values()].filter(({ about }) => !this.air.has(about));
    for (const step of idle) this.start(step);
    return idle.length > 0;
  }

  cancelAll(): void {
    for (const flight of this.air.values()) this.cancel(flight);
  }

  private cancel(flight: Flight): void {
    if (flight.cancelled) return;
    flight.cancelled = true;
    flight.scope.cancel();
  }

  private start(step: Step): void {
    const { nudge, meta } = this.state;
    const flight: Flight = { step, generation: meta.generation, nudge, scope: new CancellationScope(), cancelled: false };
    this.air.set(step.about, flight);
    note(this.state, 'Normal', step.reason, step.summary, Date.now());
    flight.scope
      .run(() => this.fly(step))
      .then(
        (value) => this.land(flight, value),
        (error: unknown) => this.crash(flight, error),
      );
  }

  private fly(step: Step): Promise<unknown> {
    const { timeouts, retry } = step;
    const activities = proxyActivities<Record<string, (input: JsonObject) => Promise<unknown>>>({
      ...(step.queue ? { taskQueue: step.queue } : {}),
      summary: step.summary,
      startToCloseTimeout: timeouts.startToCloseMs,
      ...(timeouts.heartbeatMs ? { heartbeatTimeout: timeouts.heartbeatMs } : {}),
      ...(timeouts.scheduleToStartMs ? { scheduleToStartTimeout: timeouts.scheduleToStartMs } : {}),
      ...(timeouts.scheduleToCloseMs ? { scheduleToCloseTimeout: timeouts.scheduleToCloseMs } : {}),
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      retry: {
        initialInterval: retry.initialIntervalMs,
        maximumInterval: retry.maximumIntervalMs,
        ...(retry.coefficient ? { backoffCoefficient: retry.coefficient } : {}),
        ...(retry.maximumAttempts > 0 ? { maximumAttempts: retry.maximumAttempts } : {}),
        nonRetryableErrorTypes: [...(retry.nonRetryable ?? [])],
      },
    });
    const activity = activities[step.activity];
    if (!activity) throw new Error(`no activity ${step.activity}`);
    return activity(inputOf(step, this.state));
  }

  private land(flight: Flight, value: unknown): void {
    const { generation, nudge } = flight;
    const { about, key } = flight.step;
    const now = Date.now();
    this.air.delete(about);
    const bytes = jsonBytes(value ?? null);
    if (value instanceof Unreadable) {
      this.fail(flight, 'ResultUnreadable', `the answer cannot be read: ${value.reason}`, NEVER, now);
    } else if (bytes > MAX_RESULT_BYTES) {
      this.fail(flight, 'ResultTooLarge', `the answer has ${bytes} bytes, at most ${MAX_RESULT_BYTES} are allowed`, NEVER, now);
    } else {
      const observation = { key, generation, nudge, at: now, value: value ?? null };
      const excess = this.kept.excess(about, observation);
      if (excess) this.fail(flight, 'ResultTooLarge', excess, NEVER, now);
      else this.keep(about, observation);
    }
    this.landed(!(about in this.state.failing));
  }

  private keep(about: string, observation: Observation): void {
    this.state.observed[about] = observation;
    delete this.state.failing[about];
  }

  private crash(flight: Flight, error: unknown): void {
    const { about, timeouts, queue, retry } = flight.step;
    const now = Date.now();
    this.air.delete(about);
    this.lose(about);
    if (isCancellation(error)) return this.landed(false);
    const cause = error instanceof ActivityFailure ? error.cause : error;
    if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') {
      const seconds = (timeouts.scheduleToStartMs ?? 0) / 1000;
      const message = `nobody on task queue ${queue ?? 'colony'} took the work within ${seconds} s`;
      this.fail(flight, 'ExecutorUnavailable', message, now, now, isUntaken(cause) ? { untaken: true } : {});
    } else if (cause instanceof ApplicationFailure) {
      const type = cause.type ?? 'Error';
      const isFinal = cause.nonRetryable || (retry.nonRetryable ?? []).includes(type);
      this.fail(flight, type, cause.message, isFinal ? NEVER : now + this.backOff(flight), now);
    } else {
      const message = cause instanceof Error ? cause.message : String(cause);
      this.fail(flight, reasonOf(cause), message, now + this.backOff(flight), now);
    }
    this.landed(false);
  }

  /** Whoever flew may have changed the world and died before it could say so: what was known may be true no more. */
  private lose(about: string): void {
    const known = this.state.observed[about];
    if (known) this.state.observed[about] = { ...known, lost: true };
  }

  private backOff({ step }: Flight): number {
    const count = this.earlier(step)?.count ?? 0;
    return Math.min(MAX_BACK_OFF_MS, step.retry.maximumIntervalMs * 2 ** Math.min(count, 20));
  }

  private fail(flight: Flight, reason: string, message: string, retryAt: number, now: number, more: Pick<Failing, 'untaken'> = {}): void {
    const { step } = flight;
    if (flight.cancelled) return;
    const earlier = this.earlier(step);
    const text = message.length > 1000 ? `${message.slice(0, 1000)}…` : message;
    this.state.failing[step.about] = {
      key: step.key,
      reason: reason.slice(0, MAX_REASON),
      message: text,
      count: (earlier?.count ?? 0) + 1,
      since: earlier?.since ?? now,
      retryAt,
      ...more,
    };
  }

  private earlier(step: Step): Failing | undefined {
    const failing = this.state.failing[step.about];
    return failing?.key === step.key ? failing : undefined;
  }
}

/** Not even a first try was taken: the server names the end of an earlier one as the cause. The SDK keeps that only in the raw failure. */
const isUntaken = ({ failure }: TimeoutFailure): boolean => failure !== undefined && !failure.cause;

/** Whoever worked on it has died, or it took longer than it may. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof TimeoutFailure)) return 'Error';
  return cause.timeoutType === 'HEARTBEAT' ? 'Lost' : 'TimedOut';
}

/** What the plan says, plus the parts of the resource it asks for. */
function inputOf(step: Step, state: ResourceState): JsonObject {
  const parts = { metadata: state.meta, spec: state.spec, status: state.status ?? {}, definition: state.definition };
  const wanted = (step.with ?? []).map((part) => [part, parts[part]] as const);
  return { ...step.input, ...Object.fromEntries(wanted) };
}
