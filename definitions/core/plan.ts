import type { Note } from './decision.ts';
import type { Propagation } from './messages.ts';
import type { ConditionClaim, JsonObject, Metadata, Status } from './resource.ts';
import type { Failing, Observation, Step } from './step.ts';

/** Everything a planner may know. */
export interface View<Spec = JsonObject> {
  /** Workflow time, ms; the only clock there is. */
  readonly now: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: Spec;
  /** The spec that status.observedGeneration speaks of, while a newer one is being reached. */
  readonly previousSpec?: JsonObject;
  /** The spec of `status.stableGeneration`, as long as it is kept; what a failed update goes back to. */
  readonly stableSpec?: JsonObject;
  readonly deleting: boolean;
  /** How a deletion was asked for; absent while there is none. */
  readonly propagation?: Propagation;
  readonly observed: Readonly<Record<string, Observation>>;
  readonly failing: Readonly<Record<string, Failing>>;
  /** Grows whenever somebody asks to look again now. */
  readonly nudge: number;
  /** Keys of the flights that have not landed, also of those that nobody wants any more. */
  readonly inAir?: readonly string[];
  /** The status last published. */
  readonly status: Status | undefined;
  readonly tuning: Tuning;
}

/** What the operator of the workers may set; recorded with each decision. */
export interface Tuning {
  /** How long a first flight waits for somebody to take it before ExecutorUnavailable is said. */
  readonly scheduleToStartMs: number;
  readonly firstRetryMs: number;
  /** Where instances go that name no node. */
  readonly defaultNode?: string;
}

/** What should be under way, and what can be said about the resource. An empty step list means settled. */
export interface Plan {
  readonly steps: readonly Step[];
  /** The kind's own status fields, whole; `conditions` without times. */
  readonly status: JsonObject;
  readonly conditions?: readonly ConditionClaim[];
  /** What else is worth an event, beside conditions that change; the planner sees by the status what it has said already. */
  readonly notes?: readonly Note[];
  readonly phase?: string;
  /** Which generation the status speaks of; default: the current one when no step is left, else as before. */
  readonly observedGeneration?: number;
  /** What was done has ended, but not so that anybody could go on from it: shown as a failure, and the generation is not reached. */
  readonly failure?: Pick<Failing, 'reason' | 'message'>;
  /** When to look again even if nothing happens, ms; absent for a settled resource. */
  readonly wakeAt?: number;
  /** Others read the published object, so it must be shown whole with the start of the steps, not after them. */
  readonly publishFirst?: boolean;
  /** The status changed only in detail: it need not be shown at once, but within a second. */
  readonly inDetail?: boolean;
  /** Nothing new can begin before so many flights have landed well; default 1. What lands badly is thought about at once. */
  readonly landings?: number;
  /** Lanes that nobody needs to know of any more. */
  readonly forget?: readonly string[];
  /** Its time is over: the resource deletes itself now. */
  readonly retire?: boolean;
  /** While deleting: nothing of ours is left in the world. Default: no step is left. */
  readonly finalized?: boolean;
  /** What a forced delete would leave behind now, one sentence each. */
  readonly leftBehind?: readonly string[];
}
