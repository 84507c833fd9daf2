import type { InstanceExit, InstancePort } from '../core/instance.ts';
import type { Plan } from '../core/plan.ts';
import type { RuntimeName } from '../core/template.ts';

/** What the shared planner says: a plan without a status of the kind's own, and the facts to make one of. */
export interface ReplicasReport {
  readonly plan: Omit<Plan, 'status' | 'phase'>;
  readonly facts: ReplicasFacts;
}

/** The part of a status that the shared planner itself reads at its next pass; a kind's status must hold it as it is. */
export interface ReplicasFacts {
  /** Instances there are, of any revision. */
  readonly replicas: number;
  /** Of the revision that the spec stands for; none while nobody knows which. */
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  /** Ready for long enough. */
  readonly availableReplicas: number;
  /** Missing: neither available nor done with their work. */
  readonly unavailableReplicas: number;
  /** Who runs them; a node's other runtimes have nothing to say about them. */
  readonly runtime?: RuntimeName;
  /** Nodes that have, or shall have, instances. */
  readonly nodes: readonly string[];
  /**
   * What may have been begun on nodes that have never answered, so that nobody knows what they have: the key of the one flight, or
   * the node where there were several. Absent: nothing.
   */
  readonly unheard?: readonly string[];
  /** By slot; at most a hundred, those in trouble first to be kept. */
  readonly instances: readonly InstanceReport[];
  /** The last revision that was reached wholly. */
  readonly currentRevision?: RevisionReport;
  readonly targetRevision?: RevisionReport;
  readonly rollout?: RolloutReport;
  /** The last generation that was reached wholly. */
  readonly stableGeneration?: number;
  /** Slots that could not be brought to what is wished. */
  readonly problems?: readonly ProblemReport[];
  /** ISO; when what is in the way of all of it is tried again. Absent: nothing is, or it waits for somebody. */
  readonly nextTryTime?: string;
  /** How many requests to look again were answered. */
  readonly looks?: number;
}

export interface ProblemReport {
  /** Absent: all slots of the node. */
  readonly slot?: number;
  /** Of the revision that it is about; absent: of all. */
  readonly digest?: string;
  readonly node: string;
  /** Of the spec that it is about. */
  readonly generation: number;
  readonly reason: string;
  readonly message: string;
  /** Times in a row. */
  readonly tries: number;
  /** ISO. */
  readonly nextTryTime: string;
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
  /** ISO; when it last came nearer to its end. */
  readonly progressedAt: string;
  /** Of the wanted revision and available, when last counted. */
  readonly updated: number;
  /** Of other revisions, when last counted. */
  readonly outdated: number;
  /** Nothing new takes over, also when nothing is left to; absent: it may. */
  readonly paused?: true;
  /** Once it is complete: what it took over from. */
  readonly from?: RevisionReport;
  /** It failed after it had taken over; absent: before. */
  readonly tookOver?: true;
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
  /** Ends in a row, none of which came after a long life; absent: none. */
  readonly crashes?: number;
  readonly startedAt?: string;
  readonly lastExit?: InstanceExit;
  /** ISO; when a crashed one is started again. */
  readonly nextRestartTime?: string;
  readonly message?: string;
  readonly ports?: readonly InstancePort[];
}
