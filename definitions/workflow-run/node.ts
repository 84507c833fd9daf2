import type { JsonObject } from '../core/resource.ts';
import type { StepSpec, StepType } from '../flows/schema.ts';
import type { StepPhase } from './schema.ts';

/** One step as it stands: a leaf, a step with steps of its own, a loop, or one iteration of a loop. */
export interface Node {
  /** `load`, `outer.inner`, `each[3]`, `exit.clean-up`, `undo.load`. */
  readonly path: string;
  readonly name: string;
  readonly spec: StepSpec;
  readonly type: StepType | 'loop';
  readonly around: Around;
  readonly phase: StepPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** The number of the last attempt; they grow for ever. 0: never started. */
  readonly attempts: number;
  readonly outputs?: JsonObject;
  /** Its result is that of an earlier run: it has done nothing itself. */
  readonly isCached?: boolean;
  /** What can be done about it now; absent when it has ended, or waits for others. */
  readonly turn?: Turn;
  /** Of a step with steps of its own, or of a loop. */
  readonly children?: readonly Node[];
  /** Something inside has failed and nobody takes care of it, so it will fail. */
  readonly isDoomed?: boolean;
  /** When it must have ended, ms. */
  readonly deadline?: number;
  /** Of a resource that is made anew: when the attempt under way began, ms. */
  readonly attemptAt?: number;
  /** Of a resource that has failed: when it is made anew, ms. */
  readonly retryAt?: number;
}

/** What a leaf waits for. */
export type Turn =
  /** It has never started. */
  | { readonly type: 'first'; readonly attempt: number; readonly doing: JsonObject }
  /** Its result may be known from an earlier run: somebody must look. */
  | { readonly type: 'lookUp'; readonly key: string; readonly cacheKey: string; readonly maxAgeMs: number }
  /** An attempt that is, or shall be, in the air. */
  | {
      readonly type: 'fly';
      readonly attempt: number;
      readonly again: number;
      /** In the air, or it was when the workflow handed over to its next run. */
      readonly isUnderWay: boolean;
      /** Nobody has taken it: it counts as not started. */
      readonly isStuck: boolean;
      readonly notBefore: number;
      readonly doing: JsonObject;
    }
  /** For somebody's word, or for time to pass. */
  | { readonly type: 'suspended' }
  /** For what it applied to be ready. */
  | {
      readonly type: 'resource';
      readonly attempt: number;
      /** False while it rests before that attempt. */
      readonly isUnderWay: boolean;
      readonly notBefore: number;
      readonly doing: JsonObject;
    };

/** What expressions of a step may speak of. */
export interface Around {
  readonly params: JsonObject;
  readonly run: JsonObject;
  /** The step of that name that is nearest: beside it, or beside what it is part of. */
  readonly find: (name: string) => Node | undefined;
  /** Inside a loop. */
  readonly iteration?: { readonly item: unknown; readonly index: number };
  /** What else there is: the outputs of what is undone. */
  readonly more?: JsonObject;
}

const ENDS: readonly StepPhase[] = ['Succeeded', 'Failed', 'Skipped', 'Omitted', 'Cancelled'];

export const isEnd = (phase: StepPhase): boolean => ENDS.includes(phase);

export const hasEnded = ({ phase }: Pick<Node, 'phase'>): boolean => isEnd(phase);

/** Has failed, or will when what runs inside it has ended. */
export const isFailing = ({ phase, isDoomed }: Node): boolean => phase === 'Failed' || (isDoomed === true && phase !== 'Skipped');

/** Nodes and all that is inside them, outermost first. */
export function withInner(nodes: readonly Node[], into: Node[] = []): Node[] {
  for (const node of nodes) {
    into.push(node);
    if (node.children) withInner(node.children, into);
  }
  return into;
}
