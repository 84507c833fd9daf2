import type { z } from 'zod';
import type { Plan, View } from './plan.ts';
import type { JsonObject, Revision, Status } from './resource.ts';

/** One thing wrong with an input: where, what, and what is allowed. */
export interface Issue {
  /** `spec.replicas`, `spec.ports[0].name`, `metadata.name`. */
  readonly path: string;
  readonly message: string;
}

export interface Names {
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
}

/** A column of `colony get`. */
export interface PrinterColumn {
  readonly name: string;
  /** A simple JSON path: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`. */
  readonly jsonPath: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** Columns above 0 are shown only by `-o wide`. */
  readonly priority?: number;
}

/** What a reducer or an admission hook wants written. */
export interface Effect<Spec = JsonObject> {
  readonly issues?: readonly Issue[];
  /** Refused for another reason than a bad value: the failure type and one sentence. */
  readonly refuse?: { readonly type: string; readonly message: string };
  readonly spec?: Spec;
  /** Facts to remember, folded under these lanes of `observed`. */
  readonly remember?: Readonly<Record<string, unknown>>;
  /** What the caller of the command gets back. */
  readonly answer?: unknown;
}

/** A command's own verb: a pure function from the view and its arguments to what shall be written. */
export type Command<Spec = JsonObject> = CommandMethod<Spec>['run'];

/** A method, so that kinds of all specs fit into one list: whoever calls it has parsed the spec by the kind's own schema. */
interface CommandMethod<Spec> {
  run(view: View<Spec>, args: JsonObject, context: CallContext): Effect<Spec>;
}

export interface CallContext {
  /** Who asks, as the door tells it. */
  readonly actor: string;
  readonly now: number;
  /** The name of the resource, also while there is no view of it yet. */
  readonly name?: string;
  /** Earlier specs and the one in force, oldest first; only for commands. */
  readonly revisions?: readonly Revision[];
}

/** WHAT a kind is: a schema and a pure plan. */
export interface Kind<Spec = JsonObject, S = Status> {
  readonly group: string;
  readonly version: string;
  readonly names: Names;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly description?: string;
  readonly spec: z.ZodType<Spec>;
  /** What its planner says, for the types of clients and for people; what colony itself adds is left out. */
  readonly status?: z.ZodType<S>;
  /** Checks that need more than the value itself: immutable fields, transitions; may remember facts. */
  admit?(next: Spec, view: View<Spec> | undefined, context: CallContext): Effect<Spec>;
  plan(view: View<Spec>): Plan;
  readonly commands?: Readonly<Record<string, Command<Spec>>>;
  readonly columns?: readonly PrinterColumn[];
  /** True when a delete has something to clean up in the world; shown as a finalizer. */
  readonly hasCleanUp: boolean;
}

/** Types a kind as it is written, and forgets the type where all kinds are handled alike. */
export function defineKind<Spec, S = Status>(kind: Kind<Spec, S>): Kind<Spec, S> {
  return kind;
}

export const apiVersionOf = ({ group, version }: Pick<Kind, 'group' | 'version'>): string => `${group}/${version}`;
