import type { Kind, Names, PrinterColumn } from '../../definitions/core/kind.ts';
import type { ApplyAnswer, CommandAnswer, DeleteAnswer, Propagation } from '../../definitions/core/messages.ts';
import type { BaseStatus, JsonObject, Manifest, Resource, ResourceEvent, Revision, Status } from '../../definitions/core/resource.ts';
import type { ApplyResult } from './apply-all.ts';
import type { Informer, InformerOptions } from './informer.ts';

/** Where colony is reached; everything has a default from the environment (see src/config.ts). */
export interface ConnectOptions {
  readonly address?: string;
  readonly temporalNamespace?: string;
  /** Who writes, as the history shows it; default `<user>@<host>`. */
  readonly actor?: string;
  /** How long a write waits for a worker; default 10 s. */
  readonly timeoutMs?: number;
  /** How the copy is kept that watches and cached lists read. */
  readonly informer?: InformerOptions;
}

/** A kind as the registry knows it: built in, or read from a ResourceDefinition. */
export interface KnownKind {
  readonly kind: Kind;
  readonly builtIn: boolean;
  readonly names: Names;
  readonly columns: readonly PrinterColumn[];
}

export interface Colony {
  /** Typed by the kind's own schema. */
  kind<Spec, S>(kind: Kind<Spec, S>): Resources<Spec, S>;
  /** `'example.com/v1', 'Widget'`, for kinds that have no TypeScript type. */
  resources(apiVersion: string, kind: string): Resources;
  /** Any name a person may use: Widget, widgets, widget, wd, widgets.example.com. */
  resolve(name: string): Promise<KnownKind>;
  /** All kinds that have that name, when groups share it; at least one. */
  resolveAll(name: string): Promise<readonly KnownKind[]>;
  kinds(): Promise<readonly KnownKind[]>;
  /** Whatever kind the manifest names. */
  apply(manifest: unknown, options?: ApplyOptions): Promise<ApplyOutcome>;
  /** Checks as `apply` does and says what would change; stores nothing. */
  dryRun(manifest: unknown): Promise<DryRun>;
  /** Resources of all kinds. */
  list(options?: ListOptions): Promise<readonly Resource[]>;
  /** Begins a run of a Workflow: `run('workflow/nightly', { params: { day: 'monday' } })`. */
  run(workflow: string | Ref, options?: RunOptions): Promise<RunHandle>;
  /** The Temporal Schedule of a Workflow. */
  schedule(workflow: string | Ref): FlowSchedule;
  close(): Promise<void>;
}

/** What `connect` gives: for processes that do many things at once, or live long. */
export interface ColonyClient extends Colony {
  /** Many manifests: definitions first; every one gets its own result, in the given order. */
  applyAll(manifests: readonly unknown[], options?: Omit<ApplyOptions, 'requestId'>): Promise<readonly ApplyResult[]>;
  /** Resources of all kinds: ADDED for all there is, then what changes. */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent>;
  /** The copy of all resources that this process keeps from the first call on; watches and cached lists then share it. */
  informer(): Promise<Informer>;
}

export interface RunOptions {
  readonly params?: JsonObject;
  /** Of the run; made of the Workflow's name when absent. */
  readonly name?: string;
  /** Where the Workflow is, if it is named by a text; default `default`. */
  readonly namespace?: string;
}

/** A run that was begun. */
export interface RunHandle {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Comes back when it has ended, however; `status.phase` says how. Default: waits for as long as it takes. */
  wait(options?: Omit<WaitOptions, 'status'>): Promise<Resource>;
}

export interface FlowSchedule {
  /** Starts a run now, by the schedule's own rule for overlapping, and says what that made of it. Throws NotFoundError for a Workflow without a schedule. */
  trigger(): Promise<Triggered>;
  /** Starts the runs of a time that is over, one after the other unless told otherwise. Answers with the times. */
  backfill(range: BackfillRange): Promise<readonly string[]>;
}

/** Waiting: the run starts when an earlier one has ended. Skipped: there is none, because an earlier one has not ended. */
export type Triggered = 'Started' | 'Waiting' | 'Skipped';

export interface BackfillRange {
  readonly from: Date;
  readonly to: Date;
  /** All at once. */
  readonly parallel?: boolean;
}

export interface Ref {
  readonly name: string;
  /** Default `default`; ignored for cluster-scoped kinds. */
  readonly namespace?: string;
}

/** What may be written for a spec: fields with a default may be left out, so the door checks and not the compiler. */
export type Given<Spec> = Partial<Spec> | JsonObject;

export interface Resources<Spec = JsonObject, S = Status> {
  apply(
    manifest: Omit<Manifest, 'apiVersion' | 'kind' | 'spec'> & { spec: Given<Spec> },
    options?: ApplyOptions,
  ): Promise<ApplyOutcome<Spec>>;
  get(ref: string | Ref): Promise<Resource<Spec, S & BaseStatus>>;
  list(options?: ListOptions): Promise<readonly Resource<Spec, S & BaseStatus>[]>;
  /** ADDED for all there is, then what changes; ends when the signal aborts. */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Spec, S & BaseStatus>>;
  delete(ref: string | Ref, options?: DeleteOptions): Promise<DeleteAnswer>;
  /** Waits until the condition has the status (default True) for the current generation, or `deleted`. */
  waitFor(ref: string | Ref, condition: string, options?: WaitOptions): Promise<Resource<Spec, S & BaseStatus> | undefined>;
  /** `setPath('w1', 'spec.size.width', 3)`: read, change, write with a version check, retried on conflict. */
  setPath(ref: string | Ref, path: string, value: unknown): Promise<ApplyOutcome<Spec>>;
  command(ref: string | Ref, name: string, args?: JsonObject): Promise<CommandAnswer>;
  updateStatus(ref: string | Ref, status: JsonObject): Promise<CommandAnswer>;
  events(ref: string | Ref): Promise<readonly ResourceEvent[]>;
  history(ref: string | Ref): Promise<readonly Revision[]>;
  /** Work that is in the air just now, as far as Temporal knows it: no worker is asked. */
  pending(ref: string | Ref): Promise<readonly PendingWork[]>;
  rollback(ref: string | Ref, options?: { readonly to?: number }): Promise<CommandAnswer>;
  pause(ref: string | Ref): Promise<ApplyOutcome<Spec>>;
  resume(ref: string | Ref): Promise<ApplyOutcome<Spec>>;
  /** The resource with all that it answers for, and what those answer for. */
  family(ref: string | Ref): Promise<Family>;
  /** Look now; `force` also when nothing seems to have changed. */
  reconcile(ref: string | Ref, options?: { readonly force?: boolean }): Promise<void>;
}

/** A resource and its children, in the order in which it made them. */
export interface Family {
  /** Id of its workflow. */
  readonly id: string;
  readonly resource: Resource;
  readonly children: readonly Family[];
}

/** One flight of a resource: an activity that was started and has not landed. */
export interface PendingWork {
  /** Activity type. */
  readonly activity: string;
  /** `waiting` for somebody to take it, or for its next try. */
  readonly state: 'waiting' | 'running' | 'cancelling';
  /** From 1. */
  readonly attempt: number;
  /** What it is for, as the plan put it: "start slots 0-19 on node a". */
  readonly summary?: string;
  /** Task queue. */
  readonly queue?: string;
  /** Why the try before failed. */
  readonly failure?: string;
  /** ISO; when the try that waits is, or was, due. */
  readonly retryAt?: string;
  /** What it does just now, as its last sign of life said. */
  readonly doing?: string;
  readonly done?: number;
  readonly total?: number;
}

export interface ApplyOptions {
  readonly only?: 'create' | 'update';
  /** Repeats of one request get the first one's answer; made up when absent. */
  readonly requestId?: string;
}

export interface ApplyOutcome<Spec = JsonObject> extends ApplyAnswer {
  readonly manifest: Manifest & { readonly spec?: Spec };
  /** Things worth saying that did not stop the write. */
  readonly warnings: readonly string[];
}

export interface DryRun {
  readonly operation: ApplyAnswer['operation'];
  readonly before?: Resource;
  /** As it would be stored, defaults filled in. */
  readonly after: Manifest;
  readonly warnings: readonly string[];
}

export interface ListOptions {
  /** Default `default`; cluster-scoped kinds have none, and a list of all kinds shows them only with `allNamespaces`. */
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  /** Kubernetes selector: `app=x,tier!=db,env in (a,b),gpu,!old`. */
  readonly labels?: string;
  /** Answer from the copy in this process: at most about half a second old, without a call to Temporal. */
  readonly cached?: boolean;
}

export interface WatchOptions extends Omit<ListOptions, 'cached'> {
  readonly name?: string;
  /** Go on after this resourceVersion of an earlier watch or snapshot of this process, without ADDED for what is there. Else GoneError. */
  readonly since?: string;
  readonly signal?: AbortSignal;
}

export interface WatchEvent<Spec = JsonObject, S = Status> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: Resource<Spec, S>;
}

export interface DeleteOptions {
  readonly propagation?: Propagation;
  readonly force?: boolean;
  /** Come back only when it is gone; default true. */
  readonly wait?: boolean;
  readonly timeoutMs?: number;
  /** Delete only this incarnation. */
  readonly uid?: string;
}

export interface WaitOptions {
  readonly status?: 'True' | 'False' | 'Unknown';
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}
