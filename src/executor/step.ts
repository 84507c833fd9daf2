import type { JsonObject } from '../../definitions/core/resource.ts';
import type { CallContext } from './context.ts';

/** What a step of a run asks for; the same object in every language. */
export interface StepCall {
  /** As the step wrote them, templates filled in. */
  readonly args: readonly unknown[];
  readonly kwargs: JsonObject;
  /** Of the whole run. */
  readonly params: JsonObject;
  /** Name of the Workflow; absent for a run that was applied on its own. */
  readonly workflow?: string;
  /** Name of the WorkflowRun. */
  readonly run: string;
  /** Which step: `load`, `outer.inner`, `each[3]`. */
  readonly step: string;
  readonly namespace?: string;
  /** 1 for the first try at this step. */
  readonly attempt: number;
  /** The same for every try at this step of this run; another one once the step was undone, since it is done anew then. */
  readonly idempotencyKey: string;
  /** Whatever else its functionSpec says: conditions, env, label, priority, … */
  readonly [field: string]: unknown;
}

/**
 * Does one step of a run; what it returns are the step's outputs.
 *
 * May be called twice for the same try (a lost answer, a restart): make effects idempotent, with `call.idempotencyKey` where the
 * other side offers one. Whatever it throws fails the try; whether there is another is for the step's `retry` to say.
 */
export type StepFunction = (call: StepCall, context: CallContext) => Promise<unknown>;
