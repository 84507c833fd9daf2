import type {
  ImageAnswer,
  Instance,
  InstanceOwner,
  InstanceProblem,
  InstanceRevision,
  InstanceWish,
  ProblemReason,
} from '../../definitions/core/instance.ts';
import type { ProbeCheck, Probes, PullPolicy, RuntimeName, StopManner } from '../../definitions/core/template.ts';

/**
 * What runs instances on one node, seen one instance at a time.
 *
 * Guarantees that every runtime gives: nothing of a stranger is touched, whatever its name or labels; every call is safe to
 * repeat, also when an earlier one was done and its answer lost; `Unreachable` is thrown whenever the truth cannot be known.
 * Calls for one owner come one after the other; calls for its slots come at once.
 */
export interface Runtime {
  readonly name: RuntimeName;

  /** All instances of an owner, or of everybody, in whatever state, without what probes would say; by owner, slot, id. */
  list(uid?: string): Promise<readonly Seen[]>;

  /** Makes the slot run with this revision: creates, adopts, starts, wakes up, or leaves it alone. Throws Problem when it cannot be. */
  ensure(owner: InstanceOwner, revision: InstanceRevision, slot: number, manner?: EnsureManner): Promise<void>;
  /** Stops and starts it again. */
  restart(uid: string, id: string, stop: StopManner): Promise<void>;
  /**
   * Gone when it comes back, by force after the grace. Nothing happens when it is gone or not the owner's.
   * Without `stop`: in the manner that was kept with the instance when it was made, for whoever does not know its spec.
   */
  remove(uid: string, id: string, stop?: StopManner): Promise<void>;

  /**
   * Only a runtime that replaces, heals and scales by itself has this: it takes the whole wish, and nobody calls `ensure`,
   * `restart` or `resolveImage`. Waits until what is wished is there, at most `waitReadyMs`; answers with what is in the way.
   * With `remove: 'all'` everything is gone when it comes back.
   */
  converge?(owner: InstanceOwner, wish: InstanceWish, signal: AbortSignal): Promise<readonly InstanceProblem[]>;

  /** What a tag stands for now; pulls as the policy says. */
  resolveImage(image: string, policy: PullPolicy, progress: (text: string) => void, signal: AbortSignal): Promise<ImageAnswer>;

  /** Done when the check was answered; throws with one sentence when it was not, or not well. */
  probe(id: string, check: ProbeCheck, timeoutMs: number): Promise<void>;
  logs(id: string, options: LogOptions): AsyncIterable<LogChunk>;
  exec(id: string, request: ExecRequest): Promise<ExecSession>;
  stats(ids: readonly string[]): Promise<readonly Usage[]>;

  /** Calls back whenever something of ours may have changed, until the signal; throws Unreachable when it can no longer know. */
  watch(onReady: () => void, onChange: (owner: InstanceOwner) => void, signal: AbortSignal): Promise<void>;
}

/** For what was made before its manner was kept with it, or by somebody else. */
export const usualStop: StopManner = { signal: 'SIGTERM', graceSeconds: 10 };

export interface EnsureManner {
  /** Runs to its end: what was started once is never started again, however it ended. */
  readonly once?: boolean;
}

/** An instance as its runtime sees it. `ready` is true when it runs (and its image's own health check, if any, says so). */
export interface Seen extends Instance {
  readonly owner: InstanceOwner;
  /** Kept with the instance itself, so that an agent that just started can go on probing. */
  readonly probes: Probes;
  /** Runs to its end, and whoever started it waits for that: nobody else is told of it. */
  readonly once?: true;
}

export interface LogOptions {
  readonly follow: boolean;
  /** Lines from the end; undefined: all. */
  readonly tail?: number | undefined;
  /** Of the life before the last start. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly signal: AbortSignal;
}

export interface LogChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly data: Uint8Array;
}

export interface ExecRequest {
  readonly command: readonly string[];
  /** Aborted when whoever asked is gone. */
  readonly signal?: AbortSignal;
  readonly tty: boolean;
  readonly stdin: boolean;
}

export interface ExecSession {
  readonly output: AsyncIterable<LogChunk>;
  write(data: Uint8Array): void;
  endInput(): void;
  resize(rows: number, columns: number): Promise<void>;
  readonly exitCode: Promise<number>;
}

export interface Usage {
  readonly id: string;
  /** Cores in use, such as 0.25. */
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly memoryLimitBytes?: number;
  readonly pids?: number;
}

/** The truth cannot be known now: nobody may act on it. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** This slot cannot be brought to what is wished, for a reason that a person can act on. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly reason: ProblemReason,
    message: string,
  ) {
    super(message);
  }

  at(slot: number, digest: string): InstanceProblem {
    return { slot, digest, reason: this.reason, message: this.message };
  }
}
