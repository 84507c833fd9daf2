import type { JsonObject } from './resource.ts';

/** Parts of the resource that the workflow adds to a step's input itself, so that they need not stand in every plan. */
export type InputPart = 'metadata' | 'spec' | 'status' | 'definition';

/**
 * Something that should be under way now: one retryable activity.
 *
 * Names a wished end, not a call, so it is safe to run twice. The key is made of what the spec wants, never of what is
 * still missing; the same key is the same flight.
 */
export interface Step {
  readonly key: string;
  /** The lane: one writing flight at a time, and where its result is folded: `observed[about]`. */
  readonly about: string;
  /** Activity type. */
  readonly activity: string;
  /** Task queue; absent for colony's own. */
  readonly queue?: string;
  /** CamelCase; becomes the reason of the event that says this flight has started. */
  readonly reason: string;
  /** One line for the Temporal UI and the events: "reconcile generation 3". */
  readonly summary: string;
  readonly input: JsonObject;
  readonly with?: readonly InputPart[];
  readonly timeouts: StepTimeouts;
  readonly retry: StepRetry;
  /** It is not cancelled for the run to hand over to its next: the hand-over waits for it, for as long as the server can bear. */
  readonly unbroken?: true;
}

export interface StepTimeouts {
  readonly startToCloseMs: number;
  readonly heartbeatMs?: number;
  /** Absent: wait for ever for somebody to take it. */
  readonly scheduleToStartMs?: number;
  readonly scheduleToCloseMs?: number;
}

export interface StepRetry {
  /** 0 = without end. */
  readonly maximumAttempts: number;
  readonly initialIntervalMs: number;
  readonly maximumIntervalMs: number;
  /** By how much the interval grows; default 2. */
  readonly coefficient?: number;
  /** Failure types that land at once. */
  readonly nonRetryable?: readonly string[];
}

/** The last result of a lane, as the workflow folded it. */
export interface Observation<T = unknown> {
  readonly key: string;
  /** Generation of the spec when the flight started: a pass is never credited to a later one. */
  readonly generation: number;
  /** How often somebody had asked to look again when the lane's last flight started; absent before the first, and in what earlier versions kept. */
  readonly nudge?: number;
  /** Workflow time when it landed, ms. */
  readonly at: number;
  readonly value: T;
  /** A later flight of this lane ended without an answer: what it did is not known. */
  readonly lost?: true;
}

/** A lane whose last flight ended in an error that somebody should see. */
export interface Failing {
  readonly key: string;
  /** The failure's type, or a reason of the loop's own such as ExecutorUnavailable. */
  readonly reason: string;
  readonly message: string;
  /** How many flights in a row have ended so. */
  readonly count: number;
  readonly since: number;
  /** When the step may fly again, ms. */
  readonly retryAt: number;
  /** Nobody ever took it, not even once: it has changed nothing. */
  readonly untaken?: true;
}
