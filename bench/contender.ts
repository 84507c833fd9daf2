import type { Memory } from './inside/memory.ts';
import type { ChildOptions } from './stage/child.ts';

/** One of the two that run against each other: the same layout of processes, the same server. */
export interface Contender {
  readonly name: 'ours' | 'bare';
  /** Processes that work for it, for the bill of CPU time. */
  readonly pids: Readonly<Record<'worker' | 'executor', number>>;
  workflowIdOf(name: string): string;
  /** Creates or changes an entity; comes back when that was acknowledged. A larger `n` is a new wish. */
  apply(name: string, n: number): Promise<void>;
  /** Comes back when the handler was called for that entity; call it before `apply`. */
  handled(name: string): Promise<void>;
  /** Of its worker; only when that was started with `memoryOptions`. */
  memory(): Promise<Memory>;
}

/** How its worker process is started. */
export type WorkerOptions = Partial<ChildOptions>;
