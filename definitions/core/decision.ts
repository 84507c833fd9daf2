import type { ChildNews } from './family.ts';
import type { Issue } from './kind.ts';
import type { Propagation } from './messages.ts';
import type { JsonObject, Metadata, OwnerReference, Revision, Status } from './resource.ts';
import type { Failing, Observation, Step } from './step.ts';

/** A message in the inbox: said by somebody, not yet decided. */
export interface Mail {
  /** apply, delete, command, status, observed, reconcile, child, or a name nobody knows. */
  readonly type: string;
  readonly via: 'update' | 'signal' | 'start' | 'cancel';
  readonly body: unknown;
  /** Ties an update to the handler that waits for its answer. */
  readonly ticket?: number;
  /** Why the body was not even kept: it is refused whatever its type. */
  readonly unfit?: { readonly type: 'TooLarge' | 'Invalid'; readonly message: string } | undefined;
}

/** Snapshot of the definition that a resource was admitted under; undefined fields for built-in kinds. */
export interface DefinitionSnapshot {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Of the ResourceDefinition; absent for built-in kinds. */
  readonly uid?: string;
  readonly generation?: number;
  readonly handler?: HandlerRef;
}

/** Who reconciles a user-defined kind. */
export interface HandlerRef {
  /** Task queue. */
  readonly executorType: string;
  /** Activity type. */
  readonly functionName: string;
  /** Seconds between two looks at a settled resource. */
  readonly reconcileInterval?: number;
  /** Seconds that one call may take. */
  readonly timeout?: number;
  /** Seconds without a heartbeat after which a call counts as lost. */
  readonly heartbeat?: number;
}

/** What the workflow tells the decider: all that plans and admissions may depend on. */
export interface DecideRequest {
  readonly workflowId: string;
  readonly workflowType: string;
  readonly now: number;
  readonly apiVersion?: string;
  readonly metadata: Metadata;
  /** Absent until a first spec was accepted. */
  readonly spec?: JsonObject;
  readonly previousSpec?: JsonObject;
  readonly stableSpec?: JsonObject;
  readonly definition?: DefinitionSnapshot;
  readonly deleting: boolean;
  readonly propagation?: Propagation;
  readonly observed: Readonly<Record<string, Observation>>;
  readonly failing: Readonly<Record<string, Failing>>;
  readonly nudge: number;
  /** Keys of all flights that have not landed, also of those that nobody wants any more. */
  readonly inAir?: readonly string[];
  readonly status?: Status;
  /** Fingerprint of what the owner was last told; empty when it has not heard that. */
  readonly told?: string;
  /** The last invalid signal, until a good spec comes. */
  readonly rejected?: string;
  readonly rejectedBy?: 'apply' | 'readmit';
  /** Only when the mail has a command. */
  readonly revisions?: readonly Revision[];
  readonly mail: readonly Mail[];
}

/** What to write if the message passes the loop's own checks (version, deleting, request id). */
export interface Change {
  /** The spec with its defaults, when it differs from the one in force. */
  readonly spec?: JsonObject;
  readonly apiVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly definition?: DefinitionSnapshot;
  /** Facts for `observed`. */
  readonly remember?: Readonly<Record<string, unknown>>;
  /** Somebody asked to look again. */
  readonly nudge?: boolean;
  readonly answer?: unknown;
}

export type Verdict =
  | { readonly verdict: 'write'; readonly change: Change }
  | { readonly verdict: 'delete' }
  | { readonly verdict: 'refuse'; readonly type: string; readonly message: string; readonly issues?: readonly Issue[] }
  /** A hint: nothing to write, think again. */
  | { readonly verdict: 'hint'; readonly nudge: boolean }
  /** A signal nobody knows; said as an event. */
  | { readonly verdict: 'ignore'; readonly message: string };

/** The planner's answer as it stands in the history: only what changed. */
export interface PlanAnswer {
  /** What is planned and not in the air; absent when the planner failed: what is in the air stays there. */
  readonly start?: readonly Step[];
  /** Keys of what is in the air and not planned. */
  readonly cancel?: readonly string[];
  /** All that is planned: how decisions were recorded before there was `start`. */
  readonly steps?: readonly Step[];
  readonly status: StatusPatch;
  readonly wakeAt?: number;
  readonly publishFirst?: boolean;
  readonly inDetail?: boolean;
  readonly landings?: number;
  readonly forget?: readonly string[];
  readonly retire?: boolean;
  readonly tell?: Tell;
  readonly finalized: boolean;
  readonly leftBehind: readonly string[];
  readonly notes: readonly Note[];
  readonly rollover: RolloverLimits;
}

export interface StatusPatch {
  readonly set: JsonObject;
  readonly unset: readonly string[];
  /** Fields that are large objects, by what changed in them. */
  readonly merge?: Readonly<Record<string, StatusPatch>>;
}

/** News for the resource that owns this one. */
export interface Tell {
  /** Id of the owner's workflow. */
  readonly to: string;
  readonly news: ChildNews;
  readonly fingerprint: string;
}

/** Something to put on the record as an event. */
export interface Note {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** When a run of the workflow hands over to the next. */
export interface RolloverLimits {
  readonly events: number;
  readonly bytes: number;
  readonly updates: number;
}

export interface Decision {
  /** One for each mail, in order, or fewer: then the rest is to be asked again. Each assumes that those before it were written. */
  readonly verdicts: readonly Verdict[];
  /** For the state that results if every verdict is carried out; absent while no spec is accepted. */
  readonly plan?: PlanAnswer;
}
