/** A JSON object whose keys nobody has checked yet. */
export type JsonObject = { readonly [key: string]: unknown };

/** What a person writes: the wished state and who it belongs to. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ManifestMetadata;
  readonly spec?: JsonObject;
}

export interface ManifestMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  /** When given, the write succeeds only if the stored version is this one. */
  readonly resourceVersion?: string;
  readonly uid?: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What colony stores about a resource beside spec and status. */
export interface Metadata {
  readonly name: string;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly uid: string;
  /** Decimal, grows with every change, also across delete + create. */
  readonly resourceVersion: string;
  /** +1 on every change of the spec, and on nothing else. */
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly OwnerReference[];
  readonly finalizers: readonly string[];
}

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A condition as a planner states it: no times, the same problem twice gives the same text. */
export interface ConditionClaim {
  readonly type: string;
  readonly status: ConditionStatus;
  /** CamelCase, for machines. */
  readonly reason: string;
  /** One plain sentence, for people. */
  readonly message: string;
}

export interface Condition extends ConditionClaim {
  readonly lastTransitionTime: string;
  readonly observedGeneration: number;
}

/** The fields every status has; kinds add their own. */
export interface BaseStatus {
  readonly observedGeneration?: number;
  /** For people, derived from the conditions; no code decides by it. */
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
}

export type Status = BaseStatus & JsonObject;

/** The whole object as every door shows it. */
export interface Resource<Spec = JsonObject, S = Status> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: Spec;
  readonly status?: S;
}

/** Something that happened and why; repeated ones are counted. */
export interface ResourceEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
}

/** An earlier spec, kept for history and rollback. */
export interface Revision {
  readonly generation: number;
  readonly spec: JsonObject;
  readonly at: string;
  readonly by: string;
}
