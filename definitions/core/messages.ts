import type { JsonObject, ManifestMetadata } from './resource.ts';

/** Said with any write: who asks, and an id under which a repeated request gets the first one's answer. */
export interface CallFields {
  readonly requestId?: string;
  readonly actor?: string;
}

/** A manifest, or just `{spec}`. */
export interface ApplyRequest extends CallFields {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Partial<ManifestMetadata>;
  readonly spec?: JsonObject;
  /** `create`: refuse when it exists; `update`: refuse when it does not; `own`: refuse when it is not the child of the controller named in the manifest. */
  readonly only?: 'create' | 'update' | 'own';
}

export interface ApplyAnswer {
  readonly operation: 'created' | 'configured' | 'unchanged';
  readonly generation: number;
  readonly resourceVersion: string;
  readonly uid: string;
}

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export interface DeleteRequest extends CallFields {
  readonly propagation?: Propagation;
  /** End at once, without clean-up. */
  readonly force?: boolean;
  /** Delete only this incarnation. */
  readonly uid?: string;
}

export interface DeleteAnswer {
  readonly deletionTimestamp: string;
  readonly uid: string;
  /** With force: what was not cleaned up, one sentence each. */
  readonly leftBehind?: readonly string[];
}

export interface CommandRequest extends CallFields {
  readonly name: string;
  readonly args?: JsonObject;
}

export interface CommandAnswer {
  readonly generation: number;
  readonly resourceVersion: string;
  readonly answer?: unknown;
}

/** The status subresource: shallow merge into the status, for controllers outside. */
export interface StatusRequest extends CallFields {
  readonly status: JsonObject;
}

/** Types of ApplicationFailure that updates end with; their details are `[RefusalDetails]`. */
export type RefusalType =
  | 'Invalid'
  | 'Conflict'
  | 'Deleting'
  | 'Unchanged'
  | 'Busy'
  | 'AlreadyExists'
  | 'NotFound'
  | 'Forbidden'
  | 'NotOwned'
  | 'UnknownCommand'
  | 'TooLarge';

export interface RefusalDetails {
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly uid?: string;
}
