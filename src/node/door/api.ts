import type { InstanceOwner, InstanceState } from '../../../definitions/core/instance.ts';
import type { RuntimeName } from '../../../definitions/core/template.ts';

/** An instance of this node, as the door lists it. */
export interface DoorInstance {
  readonly runtime: RuntimeName;
  readonly id: string;
  readonly name: string;
  readonly slot: number;
  readonly digest: string;
  readonly state: InstanceState;
  readonly ready: boolean;
  readonly startedAt?: string;
  readonly owner: InstanceOwner;
}

/** Answer of `GET /v1/instances`. */
export interface DoorList {
  readonly instances: readonly DoorInstance[];
  /** Runtimes that could not be asked, and why: their instances are missing above. */
  readonly unreachable: readonly { readonly runtime: RuntimeName; readonly message: string }[];
}

/** A runtime that this node has. */
export interface DoorRuntime {
  readonly runtime: RuntimeName;
  /** Why it cannot be asked; absent while it answers. */
  readonly message?: string;
}

/** Answer of `GET /v1/runtimes`. */
export interface DoorRuntimes {
  readonly runtimes: readonly DoorRuntime[];
}

/** The protocol that an exec is upgraded to. */
export const EXEC_PROTOCOL = 'colony-exec';
