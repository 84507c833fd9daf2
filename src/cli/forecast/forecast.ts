import type { FieldChange } from '../../../definitions/core/diff.ts';

/** What would become of a field; a value that depends on what is not there yet names whom it waits for. */
export interface FieldForecast extends FieldChange {
  readonly knownAfter?: readonly string[];
}

/** What would become of one component. */
export interface PartForecast {
  readonly name: string;
  readonly kind: string;
  /** Name of its resource. */
  readonly resource: string;
  readonly operation: PartOperation;
  readonly changes: readonly FieldForecast[];
  /** What a person should know beside that. */
  readonly note?: string;
}

export type PartOperation =
  | 'created'
  /** In place. */
  | 'changed'
  /** A new one takes over, then the old one goes. */
  | 'replaced'
  | 'unchanged'
  | 'deleted'
  /** No component any more, and it stays. */
  | 'kept'
  /** `when` says no. */
  | 'skipped'
  /** Whether it is wanted is not known yet. */
  | 'undecided'
  /** Its kind would not take it, or it is there and belongs to somebody else. */
  | 'refused';

/** What applying one manifest would do. */
export interface Forecast {
  readonly resource: string;
  readonly operation: 'created' | 'changed' | 'unchanged';
  readonly changes: readonly FieldForecast[];
  readonly note?: string;
  /** Of an application: its components in the order in which they come. */
  readonly waves?: readonly (readonly PartForecast[])[];
  /** Of an application: what goes afterwards. */
  readonly leaving?: readonly PartForecast[];
}
