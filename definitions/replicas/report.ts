import type { InstanceExit, InstancePort } from '../core/instance.ts';
import type { Plan } from '../core/plan.ts';

/** What the shared planner says: a plan without a status of the kind's own, and the facts to make one of. */
export interface ReplicasReport {
  readonly plan: Omit<Plan, 'status' | 'phase'>;
  readonly facts: ReplicasFacts;
}

/** The part of a status that the shared planner itself reads at its next pass; a kind's status must hold it as it is. */
export interface ReplicasFacts {
  /** Instances there are, of any revision. */
  readonly replicas: number;
  /** Of the wanted revision. */
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  /** Ready for long enough. */
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
  /** Nodes that have, or shall have, instances. */
  readonly nodes: readonly string[];
  /** By slot; at most a hundred, those in trouble first to be kept. */
  readonly instances: readonly InstanceReport[];
  /** The last revision that was reached wholly. */
  readonly currentRevision?: RevisionReport;
  readonly targetRevision?: RevisionReport;
  readonly rollout?: RolloutReport;
  /** The last generation that was reached wholly. */
  readonly stableGeneration?: number;
}

export interface RevisionReport {
  readonly generation: number;
  readonly digest: string;
  /** What the tag was resolved to. */
  readonly image?: string;
}

export interface RolloutReport {
  readonly state: 'Progressing' | 'Paused' | 'Complete' | 'Failed' | 'RolledBack';
  readonly digest: string;
  /** One sentence. */
  readonly message: string;
  /** ISO. */
  readonly progressedAt: string;
}

export interface InstanceReport {
  readonly name: string;
  readonly id: string;
  readonly node: string;
  readonly slot: number;
  readonly revision: string;
  readonly state: string;
  readonly ready: boolean;
  /** ISO; since when it is ready. */
  readonly readySince?: string;
  readonly restarts: number;
  readonly startedAt?: string;
  readonly lastExit?: InstanceExit;
  /** ISO; when a crashed one is started again. */
  readonly nextRestartTime?: string;
  readonly message?: string;
  readonly ports?: readonly InstancePort[];
}
