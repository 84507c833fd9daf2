import { Problem, Unreachable } from '../../../activities/runtimes/runtime.ts';

/** What the door answers when it cannot do as asked. */
export interface DoorProblem {
  /** CamelCase, for machines. */
  readonly reason: string;
  /** One sentence, for people. */
  readonly message: string;
}

/** A request that the door itself refuses. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** Status and body of the answer to a request that failed. Guarantees: never a stack. */
export function problemOf(error: unknown): { readonly status: number; readonly problem: DoorProblem } {
  const message = (error instanceof Error && error.message) || 'something went wrong, without a word about what';
  if (error instanceof Refusal) return { status: error.status, problem: { reason: error.reason, message } };
  if (error instanceof Unreachable) return { status: 503, problem: { reason: 'Unreachable', message } };
  if (error instanceof Problem) return { status: 409, problem: { reason: error.reason, message } };
  return { status: 500, problem: { reason: 'Failed', message } };
}
