import type { RuntimeName, StopManner, Template } from './template.ts';

/** A template made exact: everything that two equal instances have in common. */
export interface InstanceRevision {
  /** Hash of the template and the image it was resolved to. */
  readonly digest: string;
  readonly generation: number;
  readonly template: Template;
  /** What the tag stood for when the spec came; absent for processes. */
  readonly image?: ImagePin;
}

/** One fixed image: what a tag means may change, this does not. */
export interface ImagePin {
  /** `repository@sha256:…` where a registry knows it, else the engine's own `sha256:…`. */
  readonly ref: string;
  readonly bytes?: number;
}

/** Whose instance it is. */
export interface InstanceOwner {
  readonly uid: string;
  /** Id of its workflow. */
  readonly resource: string;
  readonly name: string;
}

/**
 * What should be so on one node; the input of `syncInstances`.
 *
 * Names wished ends: what is there already is left alone, what is not there need not be removed.
 */
export interface InstanceWish {
  readonly runtime: RuntimeName;
  readonly node: string;
  /** Each slot stands under one revision, or under two while a newer one takes over. */
  readonly revisions: readonly (InstanceRevision & { readonly slots: readonly number[] })[];
  /** Of the slots above: not started before somebody asks again (they crash, and wait). */
  readonly resting: readonly number[];
  /** Stopped and started again. */
  readonly restart: readonly { readonly id: string; readonly why: RestartReason }[];
  /** Gone before anything is started. `all`: everything the owner has here. */
  readonly remove: 'all' | readonly { readonly id: string; readonly why: RemoveReason }[];
  readonly stop: StopManner;
  /** How long to wait until what was started is ready. */
  readonly waitReadyMs: number;
  /** How long what was started must have run before it is looked at: what ends at once must not be taken for something that works. */
  readonly settleMs?: number;
  /** For a runtime that replaces, heals and scales by itself: all it has to know beside the one revision above. */
  readonly delegated?: DelegatedWish;
}

export interface DelegatedWish {
  readonly replicas: number;
  readonly strategy: {
    readonly type: 'RollingUpdate' | 'Recreate';
    /** A number, or a share such as "25%". */
    readonly maxSurge: number | string;
    readonly maxUnavailable: number | string;
  };
  readonly minReadySeconds: number;
  readonly progressDeadlineSeconds: number;
  /** Nothing new takes over meanwhile. */
  readonly paused: boolean;
  /** What becomes of an instance that has ended. */
  readonly restart: 'Always' | 'OnFailure' | 'Never';
}

export type RestartReason = 'unhealthy';

export type RemoveReason = 'scaledDown' | 'outdated' | 'failedUpdate' | 'duplicate' | 'handEdited' | 'moved';

/** Orders what one node says: newer sequence within one boot of its agent. */
export interface AsOf {
  readonly boot: string;
  readonly seq: number;
}

/** What a node sees of one owner; folded under the lane `instances/<node>`. */
export interface Sighting {
  readonly asOf: AsOf;
  /** By slot, then id. */
  readonly instances: readonly Instance[];
  /** What could not be done, per slot or as a whole; absent: nothing. */
  readonly problems?: readonly InstanceProblem[];
  /** Why nobody can say anything now: the instances are as they were last seen. */
  readonly unreachable?: string;
}

export type InstanceState =
  /** Made, never started. */
  | 'created'
  | 'running'
  | 'paused'
  | 'exited'
  /** Cannot be started again. */
  | 'dead';

export interface Instance {
  readonly id: string;
  readonly name: string;
  readonly slot: number;
  readonly digest: string;
  readonly generation: number;
  readonly state: InstanceState;
  /** Runs, and its probes say so. */
  readonly ready: boolean;
  /** Why it is not ready although it runs; one sentence. */
  readonly notReady?: string;
  /** Its liveness probe, or its image's health check, fails; one sentence. */
  readonly unhealthy?: string;
  /** Somebody renamed it: it is told its name again. */
  readonly misnamed?: true;
  /** Somebody changed it by hand, so that it must be made anew; one sentence. */
  readonly handEdited?: string;
  /** ISO; of the last start. */
  readonly startedAt?: string;
  /** Of the last end, also while it runs again. */
  readonly exit?: InstanceExit;
  readonly ports?: readonly InstancePort[];
  /** How often a runtime that restarts by itself has done so; absent: colony counts. */
  readonly restarts?: number;
  /** ISO; since when it is ready, where the runtime remembers it. */
  readonly readyAt?: string;
  /** Why a runtime that starts by itself cannot start it. */
  readonly stuck?: Pick<InstanceProblem, 'reason' | 'message'>;
}

export interface InstanceExit {
  readonly code: number;
  readonly signal?: string;
  readonly outOfMemory?: boolean;
  /** ISO. */
  readonly at: string;
  /** The last lines it said; absent for a clean end. */
  readonly log?: string;
}

export interface InstancePort {
  readonly name?: string;
  readonly container: number;
  readonly host: number;
  readonly address: string;
  readonly protocol: 'tcp' | 'udp';
}

/** Why a slot could not be brought to what is wished. */
export interface InstanceProblem {
  /** Absent: all slots. */
  readonly slot?: number;
  /** Of the revision that could not be started; absent: whatever is started there. */
  readonly digest?: string;
  readonly reason: ProblemReason;
  /** One sentence for a person, with what to do. */
  readonly message: string;
}

export type ProblemReason =
  /** The node's policy does not allow it. */
  | 'Blocked'
  | 'ImageMissing'
  | 'PortTaken'
  | 'CommandNotFound'
  | 'StartFailed'
  /** No place in the cluster fits it. */
  | 'Unschedulable'
  /** This node has no such runtime, or may not use it. */
  | 'RuntimeUnavailable';

/** Answer of `resolveImage`, folded under the lane `image`. */
export interface ImageAnswer {
  /** The tag that was looked up. */
  readonly image: string;
  readonly pin?: ImagePin;
  readonly problem?: { readonly reason: 'ImageMissing' | 'RuntimeUnavailable' | 'PullDenied'; readonly message: string };
}
