import type { DefinitionSnapshot, Mail } from '../definitions/core/decision.ts';
import type { Propagation } from '../definitions/core/messages.ts';
import type { JsonObject, Metadata, Resource, ResourceEvent, Revision, Status } from '../definitions/core/resource.ts';
import type { Failing, Observation } from '../definitions/core/step.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Everything a resource is; plain data that travels through continue-as-new. */
export interface ResourceState {
  apiVersion?: string;
  kind: string;
  meta: Mutable<Metadata>;
  /** Absent until a first spec was accepted. */
  spec?: JsonObject;
  status?: Status;
  definition?: DefinitionSnapshot;
  observed: Record<string, Observation>;
  failing: Record<string, Failing>;
  inbox: Mail[];
  /** Request ids and what they were answered, oldest first. */
  answered: [string, unknown][];
  revisions: Revision[];
  events: ResourceEvent[];
  /** Grows whenever somebody asks to look again. */
  nudge: number;
  /** The last spec that came by signal and was refused, until a good one comes. */
  rejected?: string;
  /** `readmit`: it is the spec in force that no longer fits its definition, until it does again. */
  rejectedBy?: 'apply' | 'readmit';
  deletion?: { readonly propagation: Propagation; readonly forced: boolean };
  /** Fingerprint of the last applied manifest, while nothing else has written since. */
  appliedHash?: string;
  published: Published;
  /** Fingerprint of what the owner was last told; empty when it has not heard that. */
  told?: string;
}

/** What visibility shows, so that only changes are written. */
export interface Published {
  version?: string;
  attributes: Record<string, string>;
  memo: Record<string, string>;
  /** When something was last written, ms. */
  at?: number;
}

export interface Birth {
  readonly workflowId: string;
  readonly workflowType: string;
  readonly uid: string;
  readonly startedAt: number;
}

/** The state of a resource that nobody has described yet. */
export function newborn({ workflowId, workflowType, uid, startedAt }: Birth): ResourceState {
  const [, namespace, name = workflowId] = workflowId.split('/');
  return {
    kind: workflowType,
    meta: {
      name,
      ...(namespace && namespace !== '-' ? { namespace } : {}),
      uid,
      resourceVersion: '0',
      generation: 0,
      creationTimestamp: iso(startedAt),
      labels: {},
      annotations: {},
      ownerReferences: [],
      finalizers: [],
    },
    observed: {},
    failing: {},
    inbox: [],
    answered: [],
    revisions: [],
    events: [],
    nudge: 0,
    published: { attributes: {}, memo: {} },
  };
}

/** The object as the doors show it; null while no spec is accepted. */
export function resourceOf(state: ResourceState): Resource | null {
  if (!state.spec || !state.apiVersion) return null;
  const { apiVersion, kind, meta, spec, status } = state;
  return { apiVersion, kind, metadata: meta, spec, ...(status ? { status } : {}) };
}

/** Grows with every change, also across resources and across delete + create of one name. */
export function bumpVersion(state: ResourceState, now: number): void {
  const next = Math.max(Number(state.meta.resourceVersion) + 1, now * 1000 + smallHash(state.meta.uid));
  state.meta.resourceVersion = String(next);
}

const MAX_EVENTS = 50;
const MAX_MESSAGE = 1024;

/** Puts something on the record; the same reason and message again is counted, not repeated. */
export function note(state: ResourceState, type: ResourceEvent['type'], reason: string, text: string, now: number): void {
  const message = text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE - 1)}…` : text;
  const at = iso(now);
  const same = state.events.findIndex((event) => event.reason === reason && event.message === message);
  const earlier = same < 0 ? undefined : state.events.splice(same, 1)[0];
  state.events.push({ type, reason, message, count: (earlier?.count ?? 0) + 1, firstSeen: earlier?.firstSeen ?? at, lastSeen: at });
  if (state.events.length > MAX_EVENTS) state.events.shift();
}

export const iso = (ms: number): string => new Date(ms).toISOString();

function smallHash(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) % 1000;
  return hash;
}
